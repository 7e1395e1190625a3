// The one way to declare a route of /api/v2. Unlike /api/v1 it ignores unknown properties, as InfluxDB does.
import { Bug } from '../../model/errors.js'
import type { ApiContext } from '../../api/request-context.js'
import type { Api } from '../../api/v1/endpoint.js'
import { answerJson, writeTexts } from '../../api/server/json-answer.js'
import { readWireBody } from './wire-body.js'
import { writeAnswer } from './wire-numbers.js'

/** `path` as Hono writes it: `/api/v2/stacks/:id`. */
export interface WireEndpoint {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly path: string
  /** Checks the content type. Given, the route reads a body, which must not be empty. Errors: `WireRefusal`. */
  readonly takesBody?: (contentType: string | undefined) => void
  /** Gives the body to the handler. Default: parses JSON or YAML. */
  readonly read?: (c: ApiContext) => Promise<unknown>
}

/** Accepts any content type: a body that is not YAML is read as JSON. */
export const anyType = (): void => {}

export interface WireRequest {
  readonly param: (name: string) => string
  /** All values of a query parameter. */
  readonly query: (name: string) => readonly string[]
  readonly header: (name: string) => string | undefined
  /** Parsed but not checked. undefined: the route takes no body. */
  readonly body: unknown
  readonly by: string
  readonly signal: AbortSignal
}

/**
 * Neither `json` nor `text`: an answer without a body. `numbers`: clients that cannot read ids as texts get the ids of
 * diff and summary as numbers.
 */
export interface WireAnswer {
  readonly status: 200 | 201 | 204 | 422
  readonly json?: object
  readonly numbers?: true
  readonly text?: { readonly type: string; readonly pieces: Iterable<string> }
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Adds a route, with and without a slash at its end. `handle` gives the answer; its errors become answers
 * (`toWireError`).
 */
export function addWireEndpoint(
  api: Api,
  endpoint: WireEndpoint,
  handle: (request: WireRequest) => Promise<WireAnswer>,
): void {
  const { method, path, takesBody } = endpoint
  api.on([method.toUpperCase()], [path, `${path}/`], async (c) => {
    takesBody?.(c.req.header('content-type'))
    const body = takesBody === undefined ? undefined : await (endpoint.read ?? readWireBody)(c)
    return send(c, await handle(toWireRequest(c, body)).catch(throwError))
  })
}

function toWireRequest(c: ApiContext, body: unknown): WireRequest {
  const { searchParams } = new URL(c.req.url)
  return {
    param: (name) => c.req.param(name) ?? '',
    query: (name) => searchParams.getAll(name),
    header: (name) => c.req.header(name),
    body,
    by: c.get('by') ?? 'api',
    signal: c.get('signal')!,
  }
}

async function send(c: ApiContext, { status, json, numbers, text, headers = {} }: WireAnswer): Promise<Response> {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  if (text !== undefined) {
    const { type, pieces: texts } = text
    return answerJson(c, (pieces) => writeTexts(texts, pieces), { status: status as 200, type })
  }
  if (json === undefined) return c.body(null, status)
  const inNumbers = numbers === true && readsNumbersOnly(c)
  const type = 'application/json; charset=utf-8'
  return answerJson(c, (pieces) => writeAnswer(json, inNumbers, pieces), { status: status as 200, type })
}

/** InfluxDB's own command line reads ids of diff and summary as unsigned integers only. */
function readsNumbersOnly(c: ApiContext): boolean {
  return (c.req.header('user-agent') ?? '').startsWith('influx/')
}

/** The framework's error handler only gets instances of Error. */
function throwError(error: unknown): never {
  throw error instanceof Error ? error : new Bug('A value that is not an Error was thrown.', error)
}
