// The context of a request: its id, its caller, and a signal that aborts it.
import { callerRule, decodeCaller } from '../model/agent/caller-name.js'
import type { Context, MiddlewareHandler } from 'hono'
import { randomUUID } from 'node:crypto'
import { onAbort } from '../lib/async/on-abort.js'
import { Refused, Stopped } from '../model/errors.js'

/**
 * Given by the server. `stopping`: ends long polls; `overloaded`: this connection exceeds the limit; `drop`: closes the
 * connection; `client`: its remote address.
 */
export interface ApiEnv {
  readonly Bindings: {
    readonly stopping?: AbortSignal
    readonly overloaded?: boolean
    readonly drop?: () => void
    readonly client?: string
  }
  /** `body`: the uncompressed bytes. `signal`: absent in health routes. `isPage`: the answer is a file of the page. */
  readonly Variables: {
    requestId: string
    signal?: AbortSignal
    body: Uint8Array
    by?: string
    run?: string
    isPage?: boolean
  }
}

export type ApiContext = Context<ApiEnv>

/** Allowed request ids: no characters that a terminal or a log could misread. */
const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** Gives the request an id: the client's `X-Request-Id`, if valid. */
export const assignRequestId: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const given = c.req.header('x-request-id') ?? ''
  const requestId = requestIdPattern.test(given) ? given : randomUUID()
  c.set('requestId', requestId)
  try {
    await next()
  } finally {
    c.header('X-Request-Id', requestId)
  }
}

/**
 * Gives the request a signal that aborts with `Stopped` when the client disconnects or the server stops. Reading
 * `c.req.raw.signal` is slow, so each request first waits for its slice of the event loop (api.ts).
 */
export const assignSignal: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const controller = new AbortController()
  c.set('signal', controller.signal)
  const release = [
    forwardAbort(c.req.raw.signal, controller, () => new Stopped('cancelled', 'The client disconnected.')),
    forwardAbort(c.env?.stopping, controller, () => new Stopped('shutdown', 'The agent is stopping.')),
  ]
  try {
    await next()
  } finally {
    for (const each of release) each()
  }
}

function forwardAbort(from: AbortSignal | undefined, to: AbortController, reason: () => Error): () => void {
  if (from === undefined) return () => {}
  const abort = (): void => to.abort(reason())
  if (!from.aborted) return onAbort(from, abort)
  abort()
  return () => {}
}

/**
 * Reads `X-Gitmoor-By`, the caller's name for the history, in percent-encoded UTF-8. Default: `api`. It is not
 * authenticated: any client with the token may use any name.
 */
export const readCaller: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.get('by') !== undefined) return next() // the name of a session
  const name = decodeCaller(c.req.header('x-gitmoor-by') ?? 'api')
  if (name === undefined) {
    throw new Refused('usage', 'The header X-Gitmoor-By is not a valid name.', {
      code: 'api/bad-name',
      hint: `Use ${callerRule}. Letters beyond ASCII are percent-encoded UTF-8: M%C3%BCller`,
    })
  }
  c.set('by', name)
  await next()
}
