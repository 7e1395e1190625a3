// What every request carries beside its own fields: who asks, and a signal that ends it.
import type { Context, MiddlewareHandler } from 'hono'
import { randomUUID } from 'node:crypto'
import { Refused, Stopped } from '../model/errors.js'

/**
 * Handed in by the server. `stopping` ends requests that wait; `crowded`: there are too many connections, this one
 * among them; `drop` closes this one; `client`: the address it comes from.
 */
export interface ApiEnv {
  readonly Bindings: {
    readonly stopping?: AbortSignal
    readonly crowded?: boolean
    readonly drop?: () => void
    readonly client?: string
  }
  /** `body`: as it came, unpacked. */
  readonly Variables: { requestId: string; signal: AbortSignal; body: Uint8Array; by?: string; run?: string }
}

export type ApiContext = Context<ApiEnv>

/** What a client may name its request: nothing that a terminal or a log could misread. */
const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/**
 * Gives the request an id (its own `X-Request-Id` where that is harmless), and a signal that aborts with `Stopped` when
 * the client leaves or the server stops.
 */
export const assignRequestId: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const given = c.req.header('x-request-id') ?? ''
  const requestId = requestIdPattern.test(given) ? given : randomUUID()
  c.set('requestId', requestId)
  const controller = new AbortController()
  c.set('signal', controller.signal)
  const release = [
    forwardAbort(c.req.raw.signal, controller, () => new Stopped('cancelled', 'The client went away.')),
    forwardAbort(c.env?.stopping, controller, () => new Stopped('shutdown', 'The agent is stopping.')),
  ]
  try {
    await next()
  } finally {
    for (const each of release) each()
    c.header('X-Request-Id', requestId)
  }
}

function forwardAbort(from: AbortSignal | undefined, to: AbortController, reason: () => Error): () => void {
  if (from === undefined) return () => {}
  const abort = (): void => to.abort(reason())
  if (from.aborted) abort()
  else from.addEventListener('abort', abort, { once: true })
  return () => from.removeEventListener('abort', abort)
}

/** Letters, digits and what names of accounts hold; nothing that a terminal or a log could misread. */
const callerPattern = /^[A-Za-z0-9][A-Za-z0-9 ._@+\\-]{0,99}$/

/**
 * Reads `X-Gitmoor-By`: the name under which the record keeps who asked. Absent: `api`. It is a note, not a proof:
 * whoever holds the token may write it.
 */
export const readCaller: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const name = c.req.header('x-gitmoor-by') ?? 'api'
  if (!callerPattern.test(name)) {
    throw new Refused('usage', 'The header X-Gitmoor-By is not a name.', {
      code: 'api/bad-name',
      hint: 'Up to 100 letters, digits and . _ @ + - are a name.',
    })
  }
  c.set('by', name)
  await next()
}
