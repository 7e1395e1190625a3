// Pages of a list in InfluxDB's API: `limit`, `offset` and `after`, and links to the pages beside it.
import type { JsonObject } from '../../model/json.js'
import type { WireRequest } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'

/** `usual`: without `limit`. */
export interface PageSize {
  readonly usual: number
  readonly most: number
}

/**
 * One page of a list in the order of ids, and its links. Without a size, a list without `limit` has all. Unlike in
 * InfluxDB, the last page has no link to a next one, which clients follow for ever. Errors: `WireRefusal` invalid.
 */
export function readPage<T extends { readonly id: string }>(
  path: string,
  all: readonly T[],
  request: WireRequest,
  size: PageSize | undefined,
): { readonly some: readonly T[]; readonly links: JsonObject } {
  const { query } = request
  const most = size?.most ?? 100
  const given = readNumber(query('limit')[0], 'limit', { least: 1, most }) ?? size?.usual
  const limit = given ?? all.length
  const offset = readNumber(query('offset')[0], 'offset', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? 0
  const [after] = query('after')
  const from = after === undefined || after === '' ? offset : beyond(all, readId(after, 'id in after'))
  const some = all.slice(from, from + limit)
  const link = (at: number): string => {
    const words = new URLSearchParams([...others(request), ...pageOf(at, given)]).toString()
    return words === '' ? path : `${path}?${words}`
  }
  return {
    some,
    links: {
      self: link(from),
      ...(from + limit < all.length ? { next: link(from + limit) } : {}),
      ...(from > 0 ? { prev: link(Math.max(0, from - limit)) } : {}),
    },
  }
}

function beyond(all: readonly { readonly id: string }[], after: string): number {
  const at = all.findIndex(({ id }) => id > after)
  return at < 0 ? all.length : at
}

function pageOf(offset: number, limit: number | undefined): readonly [string, string][] {
  return [
    ...(limit === undefined ? [] : [['limit', String(limit)] as [string, string]]),
    ...(limit === undefined && offset === 0 ? [] : [['offset', String(offset)] as [string, string]]),
  ]
}

/** The filters of the request. */
function others({ query }: WireRequest): readonly [string, string][] {
  return ['org', 'orgID', 'id', 'name', 'status'].flatMap((key) =>
    query(key).map((value): [string, string] => [key, value]),
  )
}

function readNumber(
  text: string | undefined,
  name: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined || text === '') return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `between ${least} and ${most}`
  throw new WireRefusal('invalid', `${name} must be a whole number ${range}.`)
}
