// What each source of a stack was last seen at, by the source's place in the list. A stack acts on a revision only when
// all of them are known.
import { joinParts, partsOf, refOfPart } from '../../model/revision.js'
import { partFor, placeOf, type SourceSpec } from '../../model/source-spec.js'
import type { Stack } from '../../model/stack.js'
import type { Resolved } from '../../source/source.js'

/** By the source's place in the stack's list. */
export type SeenSources = ReadonlyMap<number, Resolved>

/** The revision of all sources. `seen`: those seen since the agent started; the others are what the store remembers. */
export interface Sighting {
  readonly revision: string
  readonly seen: SeenSources
}

export class KnownParts {
  readonly #stacks = new Map<string, { readonly place: string; readonly seen: SeenSources }>()

  /** Notes what was seen; gives the revision once every source is known. */
  note({ id, spec, observed }: Stack, seen: SeenSources): Sighting | undefined {
    const place = placeOf(spec)
    const before = this.#stacks.get(id)
    const all = new Map([...(before?.place === place ? before.seen : []), ...seen])
    this.#stacks.set(id, { place, seen: all })
    const remembered = observedParts({ spec, observed })
    const parts = spec.sources.map((source, at) => {
      const resolved = all.get(at)
      const part = resolved === undefined ? remembered[at] : partFor(source, resolved.state)
      return part !== undefined && fits(source, part) ? part : undefined
    })
    return parts.every((part) => part !== undefined) ? { revision: joinParts(parts), seen: all } : undefined
  }

  forget(stack: string): void {
    this.#stacks.delete(stack)
  }
}

/** The parts that a stack observed last; none where it had other sources then. */
export function observedParts({ spec, observed }: Pick<Stack, 'spec' | 'observed'>): readonly string[] {
  if (observed === null) return []
  const parts = partsOf(observed.revision)
  if (spec.sources.length > 1 && observed.place !== placeOf(spec)) return []
  return parts.length === spec.sources.length ? parts : []
}

/** A part of another ref, or of another file than the one that is wanted now, says nothing. */
function fits(source: SourceSpec, part: string): boolean {
  if (source.kind === 'git') return refOfPart(part) === source.ref
  return source.kind !== 'url' || source.digest === undefined || source.digest === part
}
