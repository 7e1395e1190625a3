// Where each family is in InfluxDB's resource API, and how its listing is read.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import { Unavailable } from '../../model/errors.js'
import type { ApiClient } from './server/api-client.js'

/** `key`: of the list in an answer. */
interface Family {
  readonly path: string
  readonly key: string
  /**
   * How its pages follow each other: by the last id, or by a number. InfluxDB ignores the limit and the number in
   * listings of labels, variables, telegrafs and dashboards, though some answer with a link to a next page; gitmoor's
   * own API does not ignore them.
   */
  readonly paging: 'after' | 'offset' | 'maybe-offset'
  /** Of a page; the most that the server permits. */
  readonly limit: number
}

/** All families but secrets and label mappings. */
export const families: Readonly<Record<string, Family>> = {
  Bucket: { path: '/api/v2/buckets', key: 'buckets', paging: 'after', limit: 100 },
  Check: { path: '/api/v2/checks', key: 'checks', paging: 'offset', limit: 100 },
  Dashboard: { path: '/api/v2/dashboards', key: 'dashboards', paging: 'maybe-offset', limit: 100 },
  Label: { path: '/api/v2/labels', key: 'labels', paging: 'maybe-offset', limit: 100 },
  NotificationEndpoint: {
    path: '/api/v2/notificationEndpoints',
    key: 'notificationEndpoints',
    paging: 'offset',
    limit: 100,
  },
  NotificationRule: { path: '/api/v2/notificationRules', key: 'notificationRules', paging: 'offset', limit: 100 },
  Task: { path: '/api/v2/tasks', key: 'tasks', paging: 'after', limit: 500 },
  Telegraf: { path: '/api/v2/telegrafs', key: 'configurations', paging: 'maybe-offset', limit: 100 },
  Variable: { path: '/api/v2/variables', key: 'variables', paging: 'maybe-offset', limit: 100 },
}

/** A resource as the API has it. */
export type ApiResource = JsonObject & { readonly id: string }

/** More pages than this are a fault of the server. */
const mostPages = 10_000

/** All resources of a family by id. Errors: those of requests; `Unavailable` if the pages do not end. */
export async function listFamily(
  family: string,
  { client, orgID }: { readonly client: ApiClient; readonly orgID: string },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ApiResource>> {
  const { path, key, paging, limit } = families[family]!
  const all = new Map<string, ApiResource>()
  let next = ''
  for (let pages = 0; pages < mostPages; pages++) {
    const answer = await client.request({ method: 'GET', path: `${path}?orgID=${orgID}&limit=${limit}${next}` }, signal)
    const page = listIn(answer, key, path).filter(isResource)
    const before = all.size
    for (const one of page) all.set(one.id, one)
    const isWhole = paging === 'maybe-offset' && (page.length > limit || all.size === before)
    if (page.length < limit || isWhole) return all
    if (all.size === before) throw endless(path)
    next = paging === 'after' ? `&after=${page.at(-1)!.id}` : `&offset=${(pages + 1) * limit}`
  }
  throw endless(path)
}

/** Errors: `Unavailable` if the answer has no such list, which does not mean that it is empty. */
export function listIn(answer: Json | undefined, key: string, path: string): readonly Json[] {
  const list = isObject(answer) ? answer[key] : undefined
  if (Array.isArray(list)) return list as readonly Json[]
  throw new Unavailable(`InfluxDB answers ${path} without a list of ${key}.`, {
    code: 'influxdb/no-resource',
    hint: 'The fault is on the server, or on a proxy before it.',
  })
}

export function isResource(value: Json | undefined): value is ApiResource {
  return isObject(value) && typeof value['id'] === 'string'
}

/** The resource of an answer; a label is inside of a map. Errors: `Unavailable` if there is none. */
export function resourceOf(answer: Json | undefined, path: string): ApiResource {
  const inner = isObject(answer) && isObject(answer['label']) ? answer['label'] : answer
  if (isResource(inner)) return inner
  throw new Unavailable(`InfluxDB answers ${path} without a resource.`, {
    code: 'influxdb/no-resource',
    hint: 'The fault is on the server, or on a proxy before it.',
  })
}

function endless(path: string): Unavailable {
  return new Unavailable(`InfluxDB answers ${path} with the same page again and again.`, {
    code: 'influxdb/same-page',
    hint: 'The fault is on the server, or on a proxy before it.',
  })
}
