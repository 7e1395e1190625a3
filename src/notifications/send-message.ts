// One attempt to send a message: resolves the texts of its receiver, sends it, and says how it ended.
import { describeError, Rejected, Unavailable } from '../model/errors.js'
import { showAddress, showText } from '../lib/text/printable.js'
import type { FullMessage } from '../model/agent/message.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import { readRetryAfter, type WholeAnswer, type WholeRequest } from '../source/network/whole-request.js'
import { mailStatus, sendEmail, type OpenSocket } from './email.js'
import type { EmailTarget, NotificationReceiver, StatusReceiver, WebhookTarget } from './receiver.js'
import { slackRequest, statusRequest, webhookRequest, type MessageRequest, type Outgoing } from './requests.js'

export interface SendDeps {
  readonly send: (request: WholeRequest, signal: AbortSignal) => Promise<WholeAnswer>
  readonly openSocket: OpenSocket
  readonly lookup: ValueLookup
  /** Learns every resolved text. */
  readonly redactor: { add(secret: string): void; redact(text: string): string }
  /** The token of a credential, by its name. */
  readonly token: (credential: string) => Promise<string>
  readonly now: () => number
}

/** How an attempt ended. `retry`: later, and at the earliest after `retryAfterMs`; `refused`: never again. */
export type SendAttempt =
  | { readonly result: 'sent'; readonly status: number }
  | {
      readonly result: 'retry' | 'refused'
      readonly status: number | null
      readonly error: string
      readonly retryAfterMs?: number
    }

/** The time for one attempt. */
export const attemptMs = 30_000
const mostAnswerBytes = 1024 * 1024

/** Never rejects. */
export async function sendMessage(
  receiver: NotificationReceiver | StatusReceiver,
  message: FullMessage,
  deps: SendDeps & { readonly publicUrl: string | undefined; readonly signal: AbortSignal },
): Promise<SendAttempt> {
  try {
    const outgoing = { message, attempt: message.attempts, publicUrl: deps.publicUrl }
    if ('forge' in receiver) return await sendStatus(receiver, message, deps)
    const { target } = receiver
    switch (target.type) {
      case 'webhook':
        return await sendRequest(webhookRequest(resolvedWebhook(target, deps), outgoing), deps)
      case 'slack':
        return await sendRequest(slackRequest(secret(target.url, deps), outgoing), deps)
      case 'email':
        return { result: 'sent', status: await sendResolved(target, outgoing, deps) }
    }
  } catch (error) {
    return failed(error, deps)
  }
}

/** Problems with the texts of a receiver: what they refer to cannot be read. */
export function receiverProblems(
  receiver: NotificationReceiver | StatusReceiver,
  deps: Pick<SendDeps, 'lookup' | 'redactor'>,
): readonly string[] {
  if ('forge' in receiver) return []
  const { target } = receiver
  try {
    if (target.type === 'webhook') resolvedWebhook(target, deps)
    else if (target.type === 'slack') secret(target.url, deps)
    else resolvedEmail(target, deps)
    return []
  } catch (error) {
    return [describeError(error)]
  }
}

async function sendStatus(
  receiver: StatusReceiver,
  { commit, key }: FullMessage,
  deps: Parameters<typeof sendMessage>[2],
): Promise<SendAttempt> {
  const token = await deps.token(receiver.credential)
  if (commit === null) return { result: 'refused', status: null, error: 'The message has no commit status.' }
  const request = statusRequest(receiver, commit, { token, publicUrl: deps.publicUrl, key })
  return sendRequest(request, deps, receiver.forge === 'gitlab' ? isKnownToGitlab : undefined)
}

/** GitLab refuses a status that the commit already has. */
function isKnownToGitlab({ status, body }: WholeAnswer): boolean {
  return status === 400 && body.includes('Cannot transition status via')
}

async function sendRequest(
  request: MessageRequest,
  deps: Parameters<typeof sendMessage>[2],
  isKnown: (answer: WholeAnswer) => boolean = () => false,
): Promise<SendAttempt> {
  // The path of a webhook may be its secret.
  const shown = showAddress(new URL(request.url).origin)
  const limits = { limitMs: attemptMs, limitFrom: '30 s', mostBytes: mostAnswerBytes }
  const answer = await deps.send({ ...request, shown, ...limits }, deps.signal)
  const { status, headers, body } = answer
  if ((status >= 200 && status < 300) || isKnown(answer)) return { result: 'sent', status }
  const said = showText(body)
  const error = deps.redactor.redact(`${shown} answered ${status}${said === '' ? '' : `: ${said}`}.`)
  const retryAfterMs = retryAfter(headers, deps.now())
  const delay = retryAfterMs === undefined ? {} : { retryAfterMs }
  return { result: isFinal(status, headers) ? 'refused' : 'retry', status, error, ...delay }
}

/** A wrong token or a limit may be corrected meanwhile; another 3xx or 4xx is answered again. */
function isFinal(status: number, headers: WholeAnswer['headers']): boolean {
  if (status >= 500 || [401, 408, 425, 429].includes(status)) return false
  return status !== 403 || (headers['retry-after'] === undefined && headers['x-ratelimit-remaining'] !== '0')
}

/** `Retry-After`, or the reset of the limits of GitHub. */
function retryAfter(headers: WholeAnswer['headers'], now: number): number | undefined {
  const reset = headers['x-ratelimit-reset']
  if (headers['retry-after'] !== undefined) return readRetryAfter(headers['retry-after'], now)
  if (headers['x-ratelimit-remaining'] !== '0' || reset === undefined || !/^\d{1,12}$/.test(reset)) return undefined
  return readRetryAfter(String(Math.max(0, Math.ceil(Number(reset) - now / 1000))), now)
}

function failed(error: unknown, { redactor }: SendDeps): SendAttempt {
  const result = error instanceof Rejected ? 'refused' : 'retry'
  const retryAfterMs = error instanceof Unavailable ? error.retryAfterMs : undefined
  const delay = retryAfterMs === undefined ? {} : { retryAfterMs }
  return { result, status: mailStatus(error), error: redactor.redact(describeError(error)), ...delay }
}

function sendResolved(
  target: EmailTarget,
  outgoing: Outgoing,
  deps: SendDeps & { readonly signal: AbortSignal },
): Promise<number> {
  return sendEmail(resolvedEmail(target, deps), outgoing, deps)
}

type Resolving = Pick<SendDeps, 'lookup' | 'redactor'>

function resolvedWebhook(target: WebhookTarget, deps: Resolving): WebhookTarget {
  const headers = Object.entries(target.headers).map(([name, text]) => [name, secret(text, deps)])
  return {
    ...target,
    url: secret(target.url, deps),
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(target.secret === undefined ? {} : { secret: secret(target.secret, deps) }),
  }
}

function resolvedEmail(target: EmailTarget, deps: Resolving): EmailTarget {
  return {
    ...target,
    ...(target.username === undefined ? {} : { username: resolveValue(target.username, deps.lookup) }),
    ...(target.password === undefined ? {} : { password: secret(target.password, deps) }),
  }
}

function secret(text: string, { lookup, redactor }: Resolving): string {
  const value = resolveValue(text, lookup)
  if (text.includes('${')) redactor.add(value)
  return value
}
