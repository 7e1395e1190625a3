import { partApiVersion, type Kind } from '../../model/resources/kind.js'
import type { Observed } from '../../model/resources/resource.js'
import type { TargetPlatform } from '../../platform/platform.js'

/** True for a kind whose resources other resources declare, such as label mappings. */
export function isPart(kind: Kind): boolean {
  return kind.apiVersions.includes(partApiVersion)
}

/**
 * The kind of the family that can declare this state; the first kind if none can. undefined: the family is unknown, or
 * has only parts.
 */
export function declaringKind(
  { kinds }: TargetPlatform,
  family: string,
  { identity, actual }: Observed,
): Kind | undefined {
  const [first, ...more] = kinds.filter((kind) => kind.family === family && !isPart(kind))
  if (first === undefined || more.length === 0) return first
  return (
    [first, ...more].find(
      (kind) => kind.authored?.declare(kind.normalise(actual), () => 'any', identity) !== undefined,
    ) ?? first
  )
}
