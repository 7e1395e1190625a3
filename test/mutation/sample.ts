import { seeded } from '../package/seeded.js'

/** So many of a list, the same ones for the same seed, in the order of the list. */
export function sample<T>(list: readonly T[], count: number, seed: number): readonly T[] {
  const random = seeded(seed)
  const left = list.map((_, i) => i)
  const taken = Array.from({ length: Math.min(count, list.length) }, () => left.splice(random(left.length), 1)[0]!)
  return taken.toSorted((a, b) => a - b).map((i) => list[i]!)
}
