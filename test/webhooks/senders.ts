// What each sender sends, as its documentation has it, cut down to what is read and a little of what is not.
import { createHmac } from 'node:crypto'
import type { Provider } from '../../src/model/agent/delivery.js'
import type { Webhook } from '../../src/webhooks/webhook.js'

export const secret = 'a-secret-of-the-tests-0001'

export interface Change {
  /** Address over http, without `.git`. */
  readonly repository: string
  readonly ref: string
  readonly commit: string
}

export interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function hookOf(provider: Provider, changed: Partial<Webhook> = {}): Webhook {
  return {
    name: provider,
    id: provider,
    provider,
    secret,
    remotes: [],
    generic: { header: 'X-Signature-256', prefix: 'sha256=' },
    ...changed,
  }
}

export const hex = (body: string, key = secret): string => createHmac('sha256', key).update(body).digest('hex')

let number = 0
/** As its sender numbers it. */
export const nextKey = (): string => `72d3162e-cc78-11e3-81ab-${String(++number).padStart(12, '0')}`

const zeros = '0'.repeat(40)
const json = { 'Content-Type': 'application/json' }
const user = { login: 'ann', email: 'ann@example.com' }

const hubBody = ({ repository, ref, commit }: Change): object => ({
  ref,
  before: zeros,
  after: commit,
  deleted: commit === zeros,
  repository: {
    full_name: 'acme/boards',
    private: true,
    html_url: repository,
    clone_url: `${repository}.git`,
    ssh_url: 'git@git.example.com:acme/boards.git',
  },
  pusher: user,
  commits: [{ id: commit, message: 'Change', added: ['a.yml'] }],
})

type Sender = (change: Change, key?: string) => Sent

const likeGitea =
  (name: string): Sender =>
  (change, key = secret) => {
    const body = JSON.stringify(hubBody(change))
    const headers = {
      ...json,
      [`X-${name}-Event`]: 'push',
      [`X-${name}-Delivery`]: nextKey(),
      [`X-${name}-Signature`]: hex(body, key),
    }
    return { headers, body }
  }

/** Gitea names itself, Gogs and GitHub in its headers, and signs for each of them; SHA-1 as well. */
const gitea: Sender = (change, key = secret) => {
  const body = JSON.stringify(hubBody(change))
  const [delivery, signature] = [nextKey(), hex(body, key)]
  const named = ['GitHub', 'Gitea', 'Gogs'].flatMap((name) => [
    [`X-${name}-Delivery`, delivery],
    [`X-${name}-Event`, 'push'],
    [`X-${name}-Event-Type`, 'push'],
  ])
  const signed = {
    'X-Gitea-Signature': signature,
    'X-Gogs-Signature': signature,
    'X-Hub-Signature-256': `sha256=${signature}`,
  }
  const old = { 'X-Hub-Signature': `sha1=${createHmac('sha1', key).update(body).digest('hex')}` }
  return { headers: { ...json, ...Object.fromEntries(named), ...signed, ...old }, body }
}

function cloudBody({ repository, ref, commit }: Change): object {
  const side = {
    type: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    name: ref.replace(/^refs\/\w+\//, ''),
    target: { hash: commit },
  }
  const change = commit === zeros ? { new: null, old: side } : { new: side, old: null, forced: false }
  return {
    actor: user,
    repository: { full_name: 'acme/boards', links: { html: { href: repository } } },
    push: { changes: [change] },
  }
}

function serverBody({ repository, ref, commit }: Change): object {
  const [project, slug] = new URL(repository).pathname.split('/').slice(-2)
  return {
    eventKey: 'repo:refs_changed',
    repository: {
      slug,
      project: { key: project?.toUpperCase() },
      links: { clone: [{ name: 'http', href: `${repository}.git` }] },
    },
    changes: [
      {
        ref: { id: ref, displayId: ref.replace(/^refs\/\w+\//, ''), type: 'BRANCH' },
        refId: ref,
        fromHash: zeros,
        toHash: commit,
        type: 'UPDATE',
      },
    ],
  }
}

const bitbucket =
  (event: string, bodyOf: (change: Change) => object): Sender =>
  (change, key = secret) => {
    const body = JSON.stringify(bodyOf(change))
    return {
      headers: {
        ...json,
        'X-Event-Key': event,
        'X-Request-UUID': nextKey(),
        'X-Hub-Signature': `sha256=${hex(body, key)}`,
      },
      body,
    }
  }

function gitlabBody({ repository, ref, commit }: Change): string {
  const kind = ref.startsWith('refs/tags/') ? 'tag_push' : 'push'
  const project = {
    id: 15,
    web_url: repository,
    git_http_url: `${repository}.git`,
    git_ssh_url: 'git@git.example.com:acme/boards.git',
  }
  return JSON.stringify({
    object_kind: kind,
    event_name: kind,
    before: zeros,
    after: commit,
    ref,
    checkout_sha: commit,
    project,
  })
}

const github =
  (encode: (body: string) => string, type: string): Sender =>
  (change, key = secret) => {
    const body = encode(JSON.stringify(hubBody(change)))
    const headers = {
      'Content-Type': type,
      'X-GitHub-Event': 'push',
      'X-GitHub-Delivery': nextKey(),
      'X-Hub-Signature-256': `sha256=${hex(body, key)}`,
    }
    return { headers, body }
  }

/** Signed as https://www.standardwebhooks.com says. */
export function signedByGitlab(
  body: string,
  { at, key = secret }: { readonly at: number; readonly key?: string },
): Sent {
  const id = nextKey()
  const seconds = Math.floor(at / 1000)
  const digest = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  const headers = {
    ...json,
    'X-Gitlab-Event': 'Push Hook',
    'webhook-id': id,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': `v1,${digest}`,
  }
  return { headers, body }
}

/** By what a person would call them. */
export const senders: Readonly<Record<string, { readonly provider: Provider; readonly send: Sender }>> = {
  'GitHub, JSON': { provider: 'github', send: github((body) => body, 'application/json') },
  'GitHub, a form': {
    provider: 'github',
    send: github((body) => `payload=${encodeURIComponent(body)}`, 'application/x-www-form-urlencoded'),
  },
  'GitLab, with its secret token': {
    provider: 'gitlab',
    send: (change, key = secret) => {
      const event = change.ref.startsWith('refs/tags/') ? 'Tag Push Hook' : 'Push Hook'
      return {
        headers: { ...json, 'X-Gitlab-Event': event, 'Idempotency-Key': nextKey(), 'X-Gitlab-Token': key },
        body: gitlabBody(change),
      }
    },
  },
  'GitLab, with a signing token': {
    provider: 'gitlab',
    send: (change, key = secret) => signedByGitlab(gitlabBody(change), { at: Date.UTC(2026, 0, 1), key }),
  },
  Gitea: { provider: 'gitea', send: gitea },
  'Gitea, taken for Gogs': { provider: 'gogs', send: gitea },
  'Gitea, taken for GitHub': { provider: 'github', send: gitea },
  Forgejo: { provider: 'forgejo', send: likeGitea('Forgejo') },
  Gogs: { provider: 'gogs', send: likeGitea('Gogs') },
  'Bitbucket Cloud': { provider: 'bitbucket', send: bitbucket('repo:push', cloudBody) },
  'Bitbucket Data Center': { provider: 'bitbucket', send: bitbucket('repo:refs_changed', serverBody) },
  'another one': {
    provider: 'generic',
    send: ({ repository, ref, commit }, key = secret) => {
      const body = JSON.stringify({ what: { branch: ref, id: commit }, from: [{ url: repository }] })
      return { headers: { ...json, 'X-Build-Signature': hex(body, key), 'X-Build': nextKey() }, body }
    },
  },
}

export const genericForm = {
  header: 'X-Build-Signature',
  prefix: '',
  delivery: 'X-Build',
  ref: '/what/branch',
  commit: '/what/id',
  repository: '/from/0/url',
}

/** A webhook of each provider, by its name. */
export const everyHook: readonly Webhook[] = [...new Set(Object.values(senders).map(({ provider }) => provider))].map(
  (provider) => hookOf(provider, provider === 'generic' ? { generic: genericForm } : {}),
)

export { zeros }
