// Given secrets as resources of the target: only those that the package names.
import { compareText } from '../../lib/text/compare-text.js'
import { partApiVersion, type Kind } from '../../model/resources/kind.js'
import { nameOf } from '../../model/address.js'
import type { Document } from '../../model/resources/document.js'
import type { Owned, Resource } from '../../model/resources/resource.js'
import type { Inputs } from '../../model/resources/inputs.js'
import type { Platform } from '../../platform/platform.js'
import { isPart } from '../ownership/declaring-kind.js'

/** Documents for given secrets, by key, so that their order does not change the plan. */
export function secretDocuments(
  { secrets, values }: Inputs,
  { secretStore }: Pick<Platform, 'secretStore'>,
): readonly Document[] {
  if (secretStore === undefined) return []
  return [...secrets].sort(byKey).map(([key, secret]) => secretStore.document(key, secret, values))
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareText(a, b)
}

/** Keys of the target's secret store that resources name. */
export function namedSecrets(resources: readonly Resource[]): ReadonlySet<string> {
  return new Set(resources.flatMap(({ kind, spec }) => kind.inputs?.secretReferences?.(spec) ?? []))
}

/** Without given secrets that the package does not name: they are not written. */
export function withoutIdleSecrets(resources: readonly Resource[]): readonly Resource[] {
  const named = namedSecrets(resources)
  return resources.filter((resource) => !isGivenSecret(resource) || named.has(resource.document.name))
}

/** True for an owned secret that is named and not given this time: it and its ownership stay. */
export function keepsSecrets(resources: readonly Resource[], kinds: readonly Kind[]): (record: Owned) => boolean {
  const named = namedSecrets(resources)
  const made = new Set(kinds.filter(isPart).map(({ kind }) => kind))
  return ({ kind, address, partOf }) => made.has(kind) && partOf === undefined && named.has(nameOf(address))
}

/** True for a secret that was given with the package, not declared in it. */
export function isGivenSecret({ document, partOf }: Resource): boolean {
  return document.apiVersion === partApiVersion && partOf === undefined
}
