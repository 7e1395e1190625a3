// Everything that packages can make in an organisation, with names in place of ids, so two states can be compared.
import { isObject, type Json, type JsonObject } from '../../../src/model/json.js'
import { compareText } from '../../../src/lib/text/compare-text.js'
import { ask, type TestServer } from './server.js'

interface Listed {
  readonly path: string
  readonly key: string
}

const listings: readonly Listed[] = [
  { path: 'buckets', key: 'buckets' },
  { path: 'labels', key: 'labels' },
  { path: 'dashboards', key: 'dashboards' },
  { path: 'variables', key: 'variables' },
  { path: 'tasks', key: 'tasks' },
  { path: 'telegrafs', key: 'configurations' },
  { path: 'checks', key: 'checks' },
  { path: 'notificationEndpoints', key: 'notificationEndpoints' },
  { path: 'notificationRules', key: 'notificationRules' },
]

export interface ServerPicture {
  /** Sorted JSON texts: `buckets {"name":"raw",…}`, `secrets <notificationEndpoints/web>-token`. */
  readonly resources: readonly string[]
  /** By `buckets/raw`; of several with one name, the last one. */
  readonly ids: Readonly<Record<string, string>>
}

/** Fields that the server sets. Ids are replaced; runs of tasks and times differ each time. */
const unstable: readonly string[] = [
  'id',
  'links',
  'createdAt',
  'updatedAt',
  'meta',
  'latestCompleted',
  'lastRunStatus',
  'ownerID',
  'userID',
  'taskID',
  'lastRunError',
  'latestScheduled',
  'latestSuccess',
  'latestFailure',
  'authorizationID',
]

/** Without system buckets. */
export async function takeServerPicture(server: TestServer, orgID: string): Promise<ServerPicture> {
  const found = await Promise.all(
    listings.map(async ({ path, key }) => {
      const { body } = await ask(server, 'GET', `/api/v2/${path}?orgID=${orgID}&limit=100`)
      const all = (body[key] as (JsonObject & { readonly id: string; readonly name: string })[]).filter(
        ({ name }) => !name.startsWith('_'),
      )
      const whole = path === 'dashboards' ? await Promise.all(all.map(({ id }) => dashboard(server, id))) : all
      return whole.map((one) => ({ path, one }))
    }),
  )
  const { body } = await ask(server, 'GET', `/api/v2/orgs/${orgID}/secrets`)
  const resources = found.flat()
  const names = new Map(resources.map(({ path, one }) => [one.id, `<${path}/${one.name}>`]))
  /** The server forgets a property of a label that is set to ''. */
  const named = (text: string): string =>
    text
      .replaceAll(/"(?:description|color)":"",|,?"(?:description|color)":""/g, '')
      .replaceAll(',"properties":{}', '')
      .replaceAll(/[0-9a-f]{16}/g, (id) => names.get(id) ?? id)
  return {
    resources: [
      ...resources.map(({ path, one }) => named(`${path} ${JSON.stringify(stable(one))}`)),
      ...(body.secrets as string[]).map((key) => named(`secrets ${key}`)),
    ].sort(),
    ids: Object.fromEntries(resources.map(({ path, one }) => [`${path}/${one.name}`, one.id])),
  }
}

/** The differences of `found` from `expected`, as sentences. */
export function pictureDifferences(expected: ServerPicture, found: ServerPicture): readonly string[] {
  const missing = without(expected.resources, found.resources)
  const extra = without(found.resources, expected.resources)
  return [...missing.map((one) => `lacks ${one}`), ...extra.map((one) => `has ${one}`)]
}

/** The ids of resources that kept their names and lost their ids. */
export function newIds(before: ServerPicture, now: ServerPicture): readonly string[] {
  return Object.entries(before.ids).flatMap(([name, id]) =>
    now.ids[name] === undefined || now.ids[name] === id ? [] : [`${name} has a new id`],
  )
}

function without(all: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return all.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

async function dashboard(server: TestServer, id: string): Promise<JsonObject & { id: string; name: string }> {
  const { body } = await ask(server, 'GET', `/api/v2/dashboards/${id}?include=properties`)
  const cells = (body.cells as Json[]).map((cell) => stable(cell)).sort((a, b) => (text(a) < text(b) ? -1 : 1))
  return { ...body, cells }
}

function stable(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(stable)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => !unstable.includes(key))
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === 'labels' ? namesOf(inner) : stable(inner)] as const),
  )
}

function namesOf(labels: Json): Json {
  return (labels as readonly JsonObject[]).map(({ name }) => name as string).sort(compareText)
}

function text(value: Json): string {
  return JSON.stringify(value)
}
