// The stacks that InfluxDB keeps itself: those of `influx stacks init`, and one for each `influx apply` without one.
import { addressOf, familyOf, nameOf, type Address, type Identity } from '../../model/address.js'
import { isObject, type JsonObject } from '../../model/json.js'
import type { Finding } from '../../model/problem.js'
import { asText } from '../../model/scalar.js'
import { showText } from '../../lib/text/printable.js'
import type { ForeignResource, ForeignStack } from '../../platform/platform.js'
import { familyOfKind } from '../kinds/kinds.js'
import { mapsIn } from './cells.js'
import type { Organisation } from './organisation.js'

/** All of them, or the one with this id. Reads only. Errors: those of requests. */
export async function foreignStacks(
  { client, orgID }: Organisation,
  id: string | undefined,
  signal: AbortSignal,
): Promise<readonly ForeignStack[]> {
  if (id !== undefined && !/^[0-9a-f]{16}$/.test(id)) return []
  const one = id === undefined ? '' : `&stackID=${id}`
  const answer = await client.request({ method: 'GET', path: `/api/v2/stacks?orgID=${orgID}${one}` }, signal)
  const listed = isObject(answer) ? mapsIn(answer['stacks']) : []
  return listed.filter((stack) => stack['orgID'] === orgID).map(toForeignStack)
}

/** The last event of a stack has its name, and what it lists now. */
function toForeignStack(stack: JsonObject): ForeignStack {
  const latest = mapsIn(stack['events']).at(-1) ?? stack
  const id = asText(stack['id']) ?? ''
  const name = asText(latest['name']) ?? ''
  const description = asText(latest['description']) ?? ''
  return { id, name, description, resources: resourcesOf(latest), warnings: [stillRemoves(id, name)] }
}

/** InfluxDB has no request that deletes a stack without its resources. */
function stillRemoves(id: string, name: string): Finding {
  const named = name === '' ? '' : ` (${showText(name, 100)})`
  return {
    code: 'influxdb/stack-remains',
    message:
      `InfluxDB still has its stack ${id}${named}: \`influx stacks rm\` deletes the resources that it lists, ` +
      'and `influx apply --stack-id` changes them.',
    hint:
      'InfluxDB cannot delete a stack and keep its resources. Stop using the stack, and rename it as a warning: ' +
      `influx stacks update --stack-id ${id} --stack-name "managed by gitmoor: do not remove"`,
  }
}

interface ListedResource {
  readonly address: Address
  readonly identity: Identity
  /** Addresses of its labels, and of the endpoint of a rule. */
  readonly associations: readonly Address[]
}

/** Each resource, with a mapping for each of its labels that the stack lists. */
function resourcesOf(event: JsonObject): readonly ForeignResource[] {
  const listed = mapsIn(event['resources']).flatMap(listedResource)
  const ids = new Map(listed.map(({ address, identity }) => [address, identity]))
  return listed.flatMap(({ associations, ...resource }) => {
    const others = associations.filter((address) => ids.has(address))
    const labels = others.filter((address) => familyOf(address) === 'Label')
    const needs = others.filter((address) => familyOf(address) !== 'Label')
    return [{ ...resource, needs }, ...labels.map((label) => mapping(resource, { label, id: ids.get(label)! }))]
  })
}

function listedResource(resource: JsonObject): readonly ListedResource[] {
  const kind = asText(resource['kind'])
  const id = asText(resource['resourceID'])
  const name = asText(resource['templateMetaName'])
  if (kind === undefined || id === undefined || name === undefined) return []
  const associations = mapsIn(resource['associations']).flatMap(({ kind: of, metaName }) =>
    typeof of === 'string' && typeof metaName === 'string' ? [addressOf(familyOfKind(of), metaName)] : [],
  )
  return [{ address: addressOf(familyOfKind(kind), name), identity: id as Identity, associations }]
}

function mapping(
  { address, identity }: Pick<ListedResource, 'address' | 'identity'>,
  { label, id }: { readonly label: Address; readonly id: Identity },
): ForeignResource {
  return {
    address: addressOf('LabelMapping', `${address}/${nameOf(label)}`),
    identity: `${identity}/${id}` as Identity,
    needs: [address, label],
    partOf: address,
  }
}
