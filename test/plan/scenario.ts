// Scenarios for plans: what is declared (by documents, through the real kinds), owned, and on the target.
import { buildGraph } from '../../src/graph/graph.js'
import { finish } from '../../src/lib/async/steps.js'
import { familyOf, type Address, type Identity } from '../../src/model/address.js'
import type { Change, Plan } from '../../src/model/resources/change.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Resolve } from '../../src/model/resources/kind.js'
import { errorsOf, type Checked } from '../../src/model/problem.js'
import type { Claims, Observed, Owned, Resource } from '../../src/model/resources/resource.js'
import { readPackage } from '../../src/package/package.js'
import { planSteps } from '../../src/plan/plan.js'
import { plainKindNamed, plainKinds, plainVersion } from '../plain/plain-kinds.js'

export type PlanInput = Parameters<typeof planSteps>[0]
export type Doc = Readonly<Record<string, unknown>>

interface Extra {
  readonly description?: string
  readonly labels?: readonly string[]
}

export function label(meta: string, name = meta, color = ''): Doc {
  return document('Label', meta, { name, color })
}

export function bucket(meta: string, name = meta, extra: Extra = {}): Doc {
  return document('Bucket', meta, { name, ...fieldsOf(extra) })
}

export function dashboard(meta: string, name = meta, extra: Extra = {}): Doc {
  return document('Dashboard', meta, { name, ...fieldsOf(extra) })
}

export function deadman(meta: string, name = meta): Doc {
  return document('CheckDeadman', meta, { name, every: '1m', query: 'q', statusMessageTemplate: 'm', level: 'OK' })
}

function fieldsOf({ description = '', labels = [] }: Extra): Doc {
  return { description, associations: labels.map((name) => ({ kind: 'Label', name })) }
}

function document(kind: string, name: string, spec: Doc): Doc {
  return { apiVersion: plainVersion, kind, metadata: { name }, spec }
}

/** The resources of a package with these documents, parts among them. */
export function declare(...documents: readonly Doc[]): readonly Resource[] {
  const bytes = Buffer.from(JSON.stringify(documents))
  const read = readPackage([{ path: 'package.json', id: String(bytes), bytes }])
  const { value, problems } = buildGraph(read.value, plainKindNamed, { allowEmpty: true })
  const errors = errorsOf(problems)
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '))
  return value.resources
}

/** What a stack owns, and what is on the target. */
export interface Settled {
  readonly owned: Map<Address, Owned>
  readonly observed: Map<Address, Observed>
}

/** The state after these resources were applied. The n-th has the id nnnn…; a mapping has those of its ends. */
export function settled(resources: readonly Resource[]): Settled {
  const owned = new Map<Address, Owned>()
  const observed = new Map<Address, Observed>()
  for (const [i, resource] of resources.entries()) {
    const { address, kind, spec, edges, partOf } = resource
    const resolve: Resolve = ({ to }) => observed.get(to)!.identity
    const actual = kind.encode(spec, resolve)
    const identity = (kind.family === 'LabelMapping' ? kind.matching!.key(actual)! : idOf(i + 1)) as Identity
    observed.set(address, { identity, actual })
    owned.set(address, {
      address,
      kind: kind.kind,
      identity,
      applied: kind.normalise(actual),
      needs: edges.map(({ to }) => to),
      adopted: false,
      ...(partOf === undefined ? {} : { partOf }),
    })
  }
  return { owned, observed }
}

export function idOf(n: number): Identity {
  return n.toString(16).padStart(2, '0').repeat(8) as Identity
}

export const at = (text: string): Address => text as Address

/** The existing resources by the addresses that `resources` has now, found by identity if owned, else by key. */
export function observedFor(resources: readonly Resource[], { owned, observed }: Settled): Map<Address, Observed> {
  const found = new Map<Address, Observed>()
  const byIdentity = new Map([...observed.values()].map((one) => [one.identity, one]))
  for (const { address, identity } of owned.values()) {
    const same = byIdentity.get(identity)
    if (same !== undefined) found.set(address, same)
  }
  const byKey = new Map<string, Observed>()
  const indexed = new Set<string>()
  for (const { address, kind, spec } of resources) {
    if (found.has(address)) continue
    const key = kind.matching?.key(kind.encode(spec, ({ to }) => found.get(to)?.identity ?? ''))
    if (key === undefined) continue
    if (!indexed.has(kind.family))
      for (const [at, one] of [...observed].reverse())
        if (familyOf(at) === kind.family) byKey.set(`${kind.family} ${kind.matching!.key(one.actual)}`, one)
    indexed.add(kind.family)
    const same = byKey.get(`${kind.family} ${key}`)
    if (same !== undefined) found.set(address, same)
  }
  return found
}

/** No other stack owns or shares a resource. */
export const nobody: Claims = { owner: () => undefined, sharers: () => [] }

/** Resources that another stack, `theirs`, owns or shares. */
export function claimed(...others: readonly Owned[]): Claims {
  const claims = (identity: Identity, shared: boolean) =>
    others
      .filter((one) => one.identity === identity && (one.shared === true) === shared)
      .map((owned) => ({ stack: 'ffffffffffffffff', stackName: 'theirs', owned }))
  return { owner: (_, identity) => claims(identity, false)[0], sharers: (_, identity) => claims(identity, true) }
}

/** A plan of the declared resources, for the given state. */
export function planOf(declared: readonly Resource[], before: Settled, over: Partial<PlanInput> = {}): Checked<Plan> {
  return finish(planSteps({ ...planInput(declared, before), ...over }))
}

export function planInput(declared: readonly Resource[], before: Settled): PlanInput {
  return {
    stack: 'aaaaaaaaaaaaaaaa',
    target: 'local',
    revision: 'main@sha1:1111111111111111111111111111111111111111',
    resources: declared,
    owned: before.owned,
    observed: observedFor(declared, before),
    claims: nobody,
    consent: null,
    policy: { apply: 'auto', maxDeletes: 10, adopt: 'allow', dataLoss: 'allow' },
    kindNamed: (kind) => plainKinds.find((one) => one.kind === kind),
  }
}

/** `update Bucket/raw (edited): description`. */
export function changeLines({ value }: Checked<Plan>): readonly string[] {
  return value.changes.map(changeLine)
}

function changeLine(change: Change): string {
  const notes = [
    change.reason,
    ...(change.adopts === true ? ['adopts'] : []),
    ...(change.shares === true ? ['shares'] : []),
    ...(change.from === undefined ? [] : [`from ${change.from}`]),
    ...(change.first === true ? ['first'] : []),
    ...(change.losesData === true ? ['loses data'] : []),
  ]
  const fields = change.action === 'update' ? `: ${change.fields.map(({ path }) => path).join(' ')}` : ''
  return `${change.action} ${change.address} (${notes.join(', ')})${fields}`.replace(/: $/, ': ownership')
}

/** The state after a change by hand on the target. */
export function byHand(
  before: Settled,
  address: string,
  change: (actual: JsonObject) => JsonObject | undefined,
): Settled {
  const observed = new Map(before.observed)
  const actual = change(observed.get(at(address))!.actual)
  if (actual === undefined) observed.delete(at(address))
  else observed.set(at(address), { identity: observed.get(at(address))!.identity, actual })
  return { owned: before.owned, observed }
}
