// The HTTP requests of messages: webhooks, Slack, and the APIs of Git hosts. Pure.
import { createHmac } from 'node:crypto'
import { shortened } from '../lib/text/printable.js'
import type { CommitState, CommitStatus } from '../model/agent/message.js'
import { repositoryPath } from '../source/repository-identity.js'
import {
  messageJson,
  messageLines,
  messageTitle,
  placeholderValues,
  runLink,
  type MessageContent,
} from './message-text.js'
import type { StatusReceiver, WebhookTarget } from './receiver.js'
import { fillTemplate } from './template.js'

export interface MessageRequest {
  readonly method: 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A message with how people reach the agent. */
export interface Outgoing {
  readonly message: MessageContent
  readonly attempt: number
  readonly publicUrl: string | undefined
}

/** With resolved texts. */
export function webhookRequest(target: WebhookTarget, outgoing: Outgoing): MessageRequest {
  const { message, publicUrl } = outgoing
  const body =
    target.body === undefined
      ? JSON.stringify(messageJson(message, publicUrl))
      : fillTemplate(target.body, target.contentType, placeholderValues(message, publicUrl))
  const signature = (secret: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return {
    method: 'POST',
    url: target.url,
    headers: {
      'content-type': `${target.contentType}; charset=utf-8`,
      ...deliveryHeaders(outgoing),
      ...Object.fromEntries(Object.entries(target.headers).map(([name, value]) => [name.toLowerCase(), value])),
      ...(target.secret === undefined ? {} : { 'x-signature-256': signature(target.secret) }),
    },
    body,
  }
}

/** Slack reads & < > as markup. */
export function slackRequest(url: string, outgoing: Outgoing): MessageRequest {
  const { message, publicUrl } = outgoing
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const text = [`*${messageTitle(message)}*`, ...messageLines(message, publicUrl)].map(escaped).join('\n')
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json; charset=utf-8', ...deliveryHeaders(outgoing) },
    body: JSON.stringify({ text }),
  }
}

function deliveryHeaders({ message, attempt }: Outgoing): Readonly<Record<string, string>> {
  return { 'user-agent': 'gitmoor', 'x-gitmoor-delivery': message.key, 'x-gitmoor-attempt': String(attempt) }
}

/** GitHub cuts longer ones off with an error. */
const mostDescription = 139

type ForgeState = Readonly<Record<CommitState, string>>
const githubStates: ForgeState = { pending: 'pending', success: 'success', failure: 'failure', canceled: 'error' }
const gitlabStates: ForgeState = { pending: 'pending', success: 'success', failure: 'failed', canceled: 'canceled' }

/** `token`: of the host. Errors: none; a remote below `match` has a path. */
export function statusRequest(
  { forge, api }: StatusReceiver,
  status: CommitStatus,
  { token, publicUrl, key }: { readonly token: string; readonly publicUrl: string | undefined; readonly key: string },
): MessageRequest {
  const path = repositoryPath(status.remote)
  const context = `gitmoor/${status.stack}`
  const link = publicUrl === undefined ? {} : { target_url: runLink(status.stack, status.run, publicUrl) }
  const shared = { ...link, description: shortened(status.description, mostDescription) }
  const headers = { 'content-type': 'application/json', 'user-agent': 'gitmoor', 'x-gitmoor-delivery': key }
  const segments = path.split('/').map(encodeURIComponent)
  const repository = segments.slice(-2).join('/')
  switch (forge) {
    case 'github':
      return {
        method: 'POST',
        url: `${api}/repos/${repository}/statuses/${status.commit}`,
        headers: {
          ...headers,
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ state: githubStates[status.state], ...shared, context }),
      }
    case 'gitlab':
      return {
        method: 'POST',
        url: `${api}/projects/${encodeURIComponent(projectPath(path, api))}/statuses/${status.commit}`,
        headers: { ...headers, accept: 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ state: gitlabStates[status.state], ...shared, name: context }),
      }
    case 'gitea':
    case 'forgejo':
      return {
        method: 'POST',
        url: `${api}/repos/${repository}/statuses/${status.commit}`,
        headers: { ...headers, accept: 'application/json', authorization: `token ${token}` },
        body: JSON.stringify({ state: githubStates[status.state], ...shared, context }),
      }
  }
}

/** Without the path at which a host serves all of GitLab. */
function projectPath(path: string, api: string): string {
  const root = new URL(api).pathname.replace(/\/api\/v4$/, '').slice(1)
  return root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}
