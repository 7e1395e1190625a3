// Requests to the agent that served the page.
import { signal } from '@preact/signals'
import type { SignInView } from '../../src/views/session.js'
import { visible } from '../lib/text.js'
import { noteAgentTime } from '../lib/time.js'

/** Who is signed in; undefined: not known yet. */
export const signIn = signal<SignInView | undefined>(undefined)

/** The agent no longer knows the session of `signIn`. */
export const isSessionEnded = signal(false)

/** Tabs of this browser: a sign-out ends the page in all of them. */
const tabs = new BroadcastChannel('gitmoor-session')
const showSignIn = (): void => location.assign('/sign-in')
tabs.addEventListener('message', showSignIn)

interface GivenError {
  readonly code?: string
  readonly message?: string
  readonly hint?: string
  readonly problems?: readonly { readonly message: string }[]
}

/** A refusal of the agent, or no answer (`http` is 0). */
export class CallError extends Error {
  readonly http: number
  readonly code: string
  readonly hint: string
  /** Of a request with several. */
  readonly problems: readonly { readonly message: string }[]
  readonly retryAfterS: number

  constructor(http: number, { code = '', message = '', hint = '', problems = [] }: GivenError, retryAfterS = 0) {
    super(message)
    this.http = http
    this.code = code
    this.hint = hint
    this.problems = problems
    this.retryAfterS = retryAfterS
  }

  /** The same request may succeed later. */
  get isPassing(): boolean {
    return this.http === 0 || this.http >= 500
  }
}

/** When the agent answered last, by the clock of the browser; 0: never. */
export const answeredAt = signal(0)

/** A request without an answer is given up after so long, and one that asks a Git host, a target or many stacks. */
const usualLimitMs = 20_000
const longLimitMs = 300_000
const long = /^bulk$|\/(plan|plan-create|promotion|promotion\/plans|test)(\?|$)/

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const leaving = new AbortController()
let reading = new AbortController()

/** Gives up reads in progress, which fail as without an answer: their connections may be lost. */
export function abandonReads(): void {
  reading.abort()
  reading = new AbortController()
}

/**
 * Ends the session of this browser and loads the page anew, which forgets what it read. Requests in progress end first,
 * and none begins: they would be refused. If the agent does not answer, the session goes on.
 */
export async function signOut(): Promise<void> {
  leaving.abort()
  await fetch('/api/v1/session', { method: 'DELETE', headers }).catch(() => {})
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has only tabs of this origin
  tabs.postMessage('signed out')
  showSignIn()
}

const headers = { 'X-Gitmoor-Page': '1' }

interface Answer {
  readonly answer: Response
  readonly text: string
}

/** `path`: below /api/v1. Texts of the answer have no invisible characters. Errors: `CallError`. */
export async function call<T>(method: Method, path: string, body?: object): Promise<T> {
  const { answer, text } = await send(method, path, body)
  const value = parse(text)
  if (value !== undefined) answeredAt.value = Date.now() // a proxy answers otherwise
  if (answer.ok && value !== undefined) return value as T
  if (answer.status === 401 && path !== 'session') isSessionEnded.value = true
  const error = (value as { readonly error?: object } | undefined)?.error
  const given = error ?? { message: `The agent answered with ${answer.status}.`, code: 'page/answer' }
  throw new CallError(answer.status, given, Number(answer.headers.get('retry-after') ?? 0))
}

/** The body may be cut, too. */
async function send(method: Method, path: string, body: object | undefined): Promise<Answer> {
  const limit = new AbortController()
  const limitMs = long.test(path) ? longLimitMs : usualLimitMs
  const timer = setTimeout(() => limit.abort(), limitMs)
  const others = method === 'GET' ? [leaving.signal, reading.signal] : [leaving.signal]
  try {
    const answer = await fetch(`/api/v1/${path}`, {
      method,
      signal: AbortSignal.any([limit.signal, ...others]),
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    noteAgentTime(answer.headers.get('date'))
    return { answer, text: await answer.text() }
  } catch {
    const late = `The agent did not answer within ${limitMs / 1000} s.`
    const message = !limit.signal.aborted
      ? 'The agent does not answer.'
      : method === 'GET'
        ? late
        : `${late} It may still do what you asked: see the history.`
    throw new CallError(0, { code: 'page/unreachable', message })
  } finally {
    clearTimeout(timer)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? visible(value) : value))
  } catch {
    return undefined
  }
}
