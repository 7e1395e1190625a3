// Requests to the agent that served the page.
import { signal } from '@preact/signals'
import type { SignInView } from '../../src/views/session.js'
import { visible } from '../lib/text.js'

/** Who is signed in; undefined: not known yet. */
export const signIn = signal<SignInView | undefined>(undefined)

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
  location.assign('/sign-in')
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
  if (answer.ok && value !== undefined) return value as T
  if (answer.status === 401 && path !== 'session') signIn.value = { session: null }
  const error = (value as { readonly error?: object } | undefined)?.error
  const given = error ?? { message: `The agent answered with ${answer.status}.`, code: 'page/answer' }
  throw new CallError(answer.status, given, Number(answer.headers.get('retry-after') ?? 0))
}

/** The body may be cut, too. */
async function send(method: Method, path: string, body: object | undefined): Promise<Answer> {
  try {
    const answer = await fetch(`/api/v1/${path}`, {
      method,
      signal: method === 'GET' ? AbortSignal.any([leaving.signal, reading.signal]) : leaving.signal,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { answer, text: await answer.text() }
  } catch {
    throw new CallError(0, { code: 'page/unreachable', message: 'The agent does not answer.' })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? visible(value) : value))
  } catch {
    return undefined
  }
}
