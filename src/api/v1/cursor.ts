// Cursors of lists. A cursor has a mark of its list: of its path, filters and sort. Any other list refuses it.
import { createHash } from 'node:crypto'
import { invalidCursor } from '../../model/cursor.js'

const markBytes = 6

interface ListRequest {
  readonly params: unknown
  readonly query: object
}

/** The request with the cursor of its use case. Errors: `Refused` usage. */
export function withOpenCursor<Request extends ListRequest>(path: string, request: Request): Request {
  const { after } = request.query as { readonly after?: string }
  return after === undefined
    ? request
    : { ...request, query: { ...request.query, after: openCursor(after, markOf(path, request)) } }
}

/** The answer with a cursor for its list only. */
export function withSealedCursor(path: string, request: ListRequest, answer: object): object {
  const { next } = answer as { readonly next?: string | null }
  if (typeof next !== 'string') return answer
  return { ...answer, next: Buffer.concat([markOf(path, request), Buffer.from(next)]).toString('base64url') }
}

function openCursor(after: string, mark: Buffer): string {
  const bytes = Buffer.from(after, 'base64url')
  const isIntact = bytes.toString('base64url') === after && bytes.subarray(0, markBytes).equals(mark)
  if (!isIntact) throw invalidCursor(after)
  return bytes.subarray(markBytes).toString()
}

function markOf(path: string, { params, query }: ListRequest): Buffer {
  const filters = Object.entries(query).filter(([name]) => name !== 'limit' && name !== 'after')
  return createHash('sha256')
    .update(JSON.stringify([path, params, filters]))
    .digest()
    .subarray(0, markBytes)
}
