// Which labels the listed resources of a target have.
import type { Steps } from '../lib/async/steps.js'
import type { ResourceIdentity } from '../model/resources/resource.js'
import type { ListedResource, TargetPlatform } from './platform.js'

/** Ids of labels, by `nameOnTarget` of the resource; a step for each listed one. */
export function* labelsByResource(
  { labelling }: Pick<TargetPlatform, 'labelling'>,
  listed: readonly ListedResource[],
): Steps<ReadonlyMap<string, readonly string[]>> {
  const labels = new Map<string, string[]>()
  for (const one of listed) {
    yield
    const found = labelling?.labelled(one)
    if (found === undefined) continue
    const name = nameOnTarget(found.resource)
    const ids = labels.get(name)
    if (ids === undefined) labels.set(name, [found.label])
    else ids.push(found.label)
  }
  return labels
}

/** `family/identity`. */
export function nameOnTarget({ family, identity }: ResourceIdentity): string {
  return `${family}/${identity}`
}
