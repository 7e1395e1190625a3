// What a connection learns of its server: the id of the organisation, the version, and what the token may do.
import { Rejected, SyncError, Unavailable } from '../../../model/errors.js'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import type { Finding } from '../../../model/problem.js'
import { asText } from '../../../model/scalar.js'
import { quoted, showText } from '../../../lib/text/printable.js'
import type { ApiClient } from './api-client.js'
import { NotFound } from './api-errors.js'
import { lackedPermissions, permissionWarnings } from './permissions.js'
import { probedPermissions } from './probe-permissions.js'

/**
 * `organisation`: its name, or its id. Errors: those of requests; `Unavailable` if the token finds none, or if another
 * server than InfluxDB answers.
 */
export async function findOrganisation(client: ApiClient, organisation: string, signal: AbortSignal): Promise<string> {
  try {
    return await organisationId(client, organisation, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SyncError && (await isOtherServer(client, error.code, signal))) throw otherServer(client)
    throw error
  }
}

/** Other servers also refuse a token, or know no organisation. `code`: of that refusal. */
async function isOtherServer(client: ApiClient, code: string, signal: AbortSignal): Promise<boolean> {
  const isOrganisation = code === 'influxdb/no-organisation'
  if (!isOrganisation && code !== 'influxdb/token-refused') return false
  try {
    const health = await client.request({ method: 'GET', path: '/health' }, signal)
    return !isObject(health) || health['name'] !== 'influxdb'
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof SyncError)) throw error
    // A proxy may hide /health of an InfluxDB that refuses the token.
    return error.code === 'influxdb/not-json' || (isOrganisation && hasNoHealth.includes(error.code))
  }
}

const hasNoHealth: readonly string[] = ['influxdb/not-found', 'influxdb/no-api']

function otherServer({ target, url }: ApiClient): Unavailable {
  return new Unavailable(`${url} is not the address of an InfluxDB server: ${url}/health does not answer as one.`, {
    code: 'influxdb/no-api',
    hint: `Check \`targets.${target}.url\` in the configuration file: the address of the server, without a path of its API.`,
  })
}

async function organisationId(client: ApiClient, organisation: string, signal: AbortSignal): Promise<string> {
  const found = await named(client, organisation, signal)
  if (found !== undefined) return found
  if (/^[0-9a-f]{16}$/.test(organisation) && (await mayExist(client, organisation, signal))) return organisation
  throw new Unavailable(
    `The server of target ${client.target} has no organisation ${quoted(organisation)}, or hides it.`,
    {
      code: 'influxdb/no-organisation',
      hint:
        `Check \`targets.${client.target}.organisation\`. A token that may not read organisations finds none by name: ` +
        'give it read:orgs, or write the id of the organisation.',
      refusesAccess: true,
    },
  )
}

async function named(client: ApiClient, organisation: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const path = `/api/v2/orgs?org=${encodeURIComponent(organisation)}`
    const answer = await client.request({ method: 'GET', path }, signal)
    const all = isObject(answer) && Array.isArray(answer['orgs']) ? (answer['orgs'] as readonly Json[]) : []
    return all
      .filter(isObject)
      .flatMap(({ name, id }) => (name === organisation && typeof id === 'string' ? [id] : []))[0]
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

/** A token that may not read an organisation may still have permissions in it. */
async function mayExist(client: ApiClient, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await optional(client, `/api/v2/orgs/${id}`, signal)) !== undefined
  } catch (error) {
    if (error instanceof Rejected) return true
    throw error
  }
}

/** `probe`: finds what the token lacks, where the server does not show it. */
interface Asked {
  readonly token: string
  readonly orgID: string
  readonly probe: () => Promise<readonly string[]>
}

/** `about`: the version, and which permissions were checked. `warnings`: an unknown version, missing permissions. */
export interface ServerFacts {
  readonly about: JsonObject
  readonly warnings: readonly Finding[]
  /** The server shows all permissions of the token. */
  readonly showsPermissions: boolean
}

/** Errors: those of requests. */
export async function readServer(client: ApiClient, asked: Asked, signal: AbortSignal): Promise<ServerFacts> {
  const [health, authorizations] = await Promise.all([
    optional(client, '/health', signal),
    optional(client, `/api/v2/authorizations?orgID=${asked.orgID}`, signal),
  ])
  const version = showText(asText(isObject(health) ? health['version'] : undefined) ?? 'unknown', 40)
  const listed = isObject(authorizations) ? authorizations['authorizations'] : undefined
  const shown = lackedPermissions(listed, asked)
  const mayProbe = isObject(health) && health['name'] === 'influxdb'
  const lacked = shown ?? (mayProbe ? await asked.probe() : [])
  return {
    about: { version, ...(shown === undefined ? { permissions: mayProbe ? onlyProbed : notChecked } : {}) },
    warnings: [...versionWarnings(version, client.target), ...permissionWarnings(lacked, client.target)],
    showsPermissions: shown !== undefined,
  }
}

const notChecked = 'not checked: the server does not show them'
const onlyProbed =
  `only ${probedPermissions.join(', ')} checked: the server does not show the others. Without read:dashboards, ` +
  'for example, it lists no dashboards, and no error'

/** undefined: the server does not have it, or the token may not read it. */
async function optional(client: ApiClient, path: string, signal: AbortSignal): Promise<Json | undefined> {
  try {
    return await client.request({ method: 'GET', path }, signal)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

/** A server that was built from source has the version `dev`. */
function versionWarnings(version: string, target: string): readonly Finding[] {
  if (/^v?2\./.test(version) || version === 'dev' || version === 'unknown') return []
  return [
    {
      code: 'influxdb/version',
      message: `The server of target ${target} has version ${version}: gitmoor is tested with InfluxDB 2.9.`,
      hint: 'Look at the first plan before it is applied.',
    },
  ]
}
