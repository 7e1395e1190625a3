// What the token of a target may do, as far as the server shows it.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import type { Finding } from '../../../model/problem.js'
import { resourceTypes } from '../../kinds/kinds.js'

const needed = ['orgs', 'secrets', ...Object.values(resourceTypes)] as const
const readOnly: readonly string[] = ['orgs']

/**
 * The permissions that the token lacks; undefined: they are not known. `authorizations`: of the organisation, as the
 * API lists them. A token that may not read its own authorization, or that the server stores only as a hash, is not
 * among them: then nothing is known.
 */
export function lackedPermissions(
  authorizations: Json | undefined,
  { token, orgID }: { readonly token: string; readonly orgID: string },
): readonly string[] | undefined {
  const all = Array.isArray(authorizations) ? (authorizations as readonly Json[]).filter(isObject) : []
  const own = all.find((one) => one['token'] === token)
  if (own === undefined) return undefined
  const granted = Array.isArray(own['permissions']) ? (own['permissions'] as readonly Json[]).filter(isObject) : []
  return needed.flatMap((type) =>
    (readOnly.includes(type) ? ['read'] : ['read', 'write'])
      .filter((action) => !granted.some((one) => permits(one, { action, type, orgID })))
      .map((action) => `${action}:${type}`),
  )
}

/** A warning, if it lacks some. */
export function permissionWarnings(lacked: readonly string[], target: string): readonly Finding[] {
  if (lacked.length === 0) return []
  return [
    {
      code: 'influxdb/no-permission',
      message: `The token of target ${target} lacks permissions: ${lacked.join(', ')}.`,
      hint: `Resources of these types are not found, or not written. See \`targets.${target}.token\`.`,
    },
  ]
}

/**
 * A warning, if listings of these families were empty: without the permission to read a family, InfluxDB lists nothing
 * of it, and answers a read of any missing id alike.
 */
export function emptyListingWarnings(families: readonly string[], target: string): readonly Finding[] {
  if (families.length === 0) return []
  const types = families.map((family) => resourceTypes[family]!)
  return [
    {
      code: 'influxdb/nothing-listed',
      message:
        `InfluxDB lists no ${types.join(', ')} on target ${target}: there are none, or its token lacks ` +
        `${types.map((type) => `read:${type}`).join(', ')}.`,
      hint: 'The server does not show the permissions of the token: check them if something is missing here.',
    },
  ]
}

/** A permission for one resource is not enough. */
function permits(
  { action, resource }: JsonObject,
  wanted: { readonly action: string; readonly type: string; readonly orgID: string },
): boolean {
  if (!isObject(resource) || action !== wanted.action || resource['type'] !== wanted.type) return false
  const { orgID, id } = resource
  const isOfOrganisation = orgID === undefined || orgID === wanted.orgID
  return isOfOrganisation && (id === undefined || (wanted.type === 'orgs' && id === wanted.orgID))
}
