// Resources that several packages declare under one name. The first stack owns such a resource, and the others share it
// if they declare it alike. Pure.
import { compareText } from '../../lib/text/compare-text.js'
import type { Resource } from '../../model/resources/resource.js'
import { unknownYet } from '../../model/resources/kind.js'
import { jsonDigest } from '../../plan/digest.js'
import type { ClashView } from '../../views/packages/discovery.js'

interface Declaring {
  readonly path: string
  readonly resources: readonly Resource[]
}

interface SharedName {
  readonly family: string
  readonly name: string
  readonly paths: string[]
  readonly digests: Set<string>
}

/** By family and name. */
export function nameClashes(packages: readonly Declaring[]): readonly ClashView[] {
  const byKey = new Map<string, SharedName>()
  for (const { path, resources } of packages) for (const resource of resources) note(resource, path, byKey)
  const several = [...byKey].filter(([, { paths }]) => paths.length > 1).sort(([a], [b]) => compareText(a, b))
  return several.map(([, { family, name, paths, digests }]) => ({ family, name, paths, alike: digests.size === 1 }))
}

function note({ kind, spec, partOf }: Resource, path: string, byKey: Map<string, SharedName>): void {
  if (kind.matching === undefined || partOf !== undefined) return
  const state = kind.normalise(kind.encode(spec, unknownYet))
  const key = kind.matching.key(state)
  if (key === undefined) return
  const whole = `${kind.family}/${key}`
  const same = byKey.get(whole) ?? {
    family: kind.family,
    name: kind.displayName?.(state) ?? key,
    paths: [],
    digests: new Set(),
  }
  same.paths.push(path)
  same.digests.add(jsonDigest(state))
  byKey.set(whole, same)
}
