// States with values that are not known yet. A kind works on known values only, so it gets two samples of each unknown
// value; where its two results differ, the result is unknown.
import { InvalidPackage } from '../../model/errors.js'
import { differingPlaces, leavesOf, replaceAt, type JsonKeys } from '../../model/json-places.js'
import { Unknown, type JsonObject } from '../../model/json.js'

/** Which sample of a reference: the first for all but one. */
export type SampleOf = (unknown: Unknown) => 0 | 1

/**
 * The result of `work`, unknown where it depends on one of these values. References are changed one by one: a field
 * names the first that it waits for.
 */
export function sampledState(unknowns: readonly Unknown[], work: (sampleOf: SampleOf) => JsonObject): JsonObject {
  const first = work(() => 0)
  let result = first
  for (const unknown of distinct(unknowns).reverse()) {
    const other = otherState(unknown, work)
    const places = differingPlaces(first, other).map(({ keys, values }) => ({
      keys,
      value: new Unknown(unknown.to, unknown.output, values),
    }))
    result = replaceAt(result, places)
  }
  return result
}

/** Fields that fit together may not fit with one of them changed: then all are changed. */
function otherState(unknown: Unknown, work: (sampleOf: SampleOf) => JsonObject): JsonObject {
  try {
    return work((one) => (isSameReference(one, unknown) ? 1 : 0))
  } catch (error) {
    if (!(error instanceof InvalidPackage)) throw error
    return work(() => 1)
  }
}

/** The same for the result of a function of a state with samples. */
export function mapSampled(state: JsonObject, work: (state: JsonObject) => JsonObject): JsonObject {
  const leaves = sampledLeaves(state)
  if (leaves.length === 0) return work(state)
  return sampledState(
    leaves.map(({ unknown }) => unknown),
    (sampleOf) => work(withSamples(state, leaves, sampleOf)),
  )
}

/** The result of a function of a state, if it does not depend on unknown values; otherwise undefined. */
export function ifKnown(state: JsonObject, work: (state: JsonObject) => string | undefined): string | undefined {
  const leaves = sampledLeaves(state)
  const first = work(withSamples(state, leaves, () => 0))
  return leaves.length === 0 || first === work(withSamples(state, leaves, () => 1)) ? first : undefined
}

interface SampledLeaf {
  readonly keys: JsonKeys
  readonly unknown: Unknown
}

/** The unknown leaves of a state that have samples. */
export function sampledLeaves(state: JsonObject): readonly SampledLeaf[] {
  const found: SampledLeaf[] = []
  for (const { keys, value } of leavesOf(state))
    if (value instanceof Unknown && value.samples !== undefined) found.push({ keys, unknown: value })
  return found
}

function withSamples(state: JsonObject, leaves: readonly SampledLeaf[], sampleOf: SampleOf): JsonObject {
  if (leaves.length === 0) return state
  return replaceAt(
    state,
    leaves.map(({ keys, unknown }) => ({ keys, value: unknown.samples![sampleOf(unknown)] })),
  )
}

function distinct(unknowns: readonly Unknown[]): Unknown[] {
  return [...new Map(unknowns.map((one) => [`${one.to} ${one.output}`, one])).values()]
}

function isSameReference(a: Unknown, b: Unknown): boolean {
  return a.to === b.to && a.output === b.output
}
