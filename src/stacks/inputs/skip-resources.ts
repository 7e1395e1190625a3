// Resources that an apply skips: they stay unchanged, and so does their ownership.
import { familyOf, nameOf, type Address } from '../../model/address.js'
import { edgeTargets } from '../../model/resources/edge.js'
import type { Kind } from '../../model/resources/kind.js'
import { printable } from '../../lib/text/printable.js'
import { problemAt, type Checked, type Problem } from '../../model/problem.js'
import type { Owned, Resource } from '../../model/resources/resource.js'
import type { Skip } from '../../model/resources/inputs.js'
import { keepsSecrets, withoutIdleSecrets } from './secret-resources.js'

export interface RemainingResources {
  readonly resources: readonly Resource[]
  /** True for an owned resource that the plan does not declare and that stays unchanged. */
  readonly isSkipped: (record: Owned) => boolean
}

/**
 * Skipping a label skips its mappings, too. Skipping any other resource that a remaining one needs is a problem.
 * Given secrets that no resource names are not written. Named secrets that are not given stay unchanged.
 * `kinds`: all of the platform.
 */
export function skipResources(
  all: readonly Resource[],
  skips: readonly Skip[],
  kinds: readonly Kind[],
): Checked<RemainingResources> {
  const { value, problems } = withoutSkipped(all, skips)
  const isKept = keepsSecrets(all, kinds)
  return {
    value: {
      resources: withoutIdleSecrets(value.resources),
      isSkipped: (record) => isKept(record) || value.isSkipped(record),
    },
    problems,
  }
}

function withoutSkipped(resources: readonly Resource[], skips: readonly Skip[]): Checked<RemainingResources> {
  if (skips.length === 0) return { value: { resources, isSkipped: () => false }, problems: [] }
  const skipped = matcher(skips)
  const touches = ({ address, needs, partOf }: Pick<Owned, 'address' | 'needs' | 'partOf'>): boolean =>
    skipped(address) || (partOf !== undefined && (skipped(partOf) || needs.some(skipped)))
  const left = resources.filter((resource) => !touches({ ...resource, needs: edgeTargets(resource.edges) }))
  const problems = left.flatMap((resource) => missing(resource, skipped))
  return { value: { resources: left, isSkipped: touches }, problems }
}

function matcher(skips: readonly Skip[]): (address: Address) => boolean {
  const whole = new Set(skips.filter(({ metaName }) => metaName === undefined).map(({ family }) => family))
  const single = new Set(skips.map(({ family, metaName }) => `${family}/${metaName}`))
  return (address) => whole.has(familyOf(address)) || single.has(`${familyOf(address)}/${nameOf(address)}`)
}

function missing(
  { address, kind, spec, edges, document }: Resource,
  skipped: (address: Address) => boolean,
): readonly Problem[] {
  return edgeTargets(edges)
    .filter(skipped)
    .map((need) => {
      const message = `${printable(address)} needs ${printable(need)}, which is skipped.`
      const { pointer } = kind.references(spec).find(({ to }) => to === need) ?? {}
      const place = pointer === undefined ? document.place : document.locate(pointer)
      return problemAt('error', place, { code: 'stacks/skipped-need', message, hint: 'Skip both, or neither.' })
    })
}
