// What each source of a stack was last seen at, by the source's place in the list. A stack acts on a revision only when
// all of them are known.
import { joinSourceRevisions, sourceRevisions, revisionRef } from '../../model/revision.js'
import { revisionFor, sourceLocations, type SourceSpec } from '../../model/source-spec.js'
import type { Stack } from '../../model/stack.js'
import type { SourceRevision } from '../../source/source.js'

/** By the source's place in the stack's list. */
export type RevisionBySource = ReadonlyMap<number, SourceRevision>

/** The revision of all sources. `seen`: those seen since the agent started; the others are what the store remembers. */
export interface KnownRevision {
  readonly revision: string
  readonly bySource: RevisionBySource
}

export class KnownRevisions {
  readonly #stacks = new Map<string, { readonly place: string; readonly seen: RevisionBySource }>()

  /** Notes what was seen; gives the revision once every source is known. */
  add({ id, spec, observed }: Stack, seen: RevisionBySource): KnownRevision | undefined {
    const place = sourceLocations(spec)
    const before = this.#stacks.get(id)
    const all = new Map([...(before?.place === place ? before.seen : []), ...seen])
    this.#stacks.set(id, { place, seen: all })
    const remembered = observedSourceRevisions({ spec, observed })
    const parts = spec.sources.map((source, at) => {
      const resolved = all.get(at)
      const part = resolved === undefined ? remembered[at] : revisionFor(source, resolved.state)
      return part !== undefined && fits(source, part) ? part : undefined
    })
    return parts.every((part) => part !== undefined)
      ? { revision: joinSourceRevisions(parts), bySource: all }
      : undefined
  }

  remove(stack: string): void {
    this.#stacks.delete(stack)
  }
}

/** The parts that a stack observed last; none where it had other sources then. */
export function observedSourceRevisions({ spec, observed }: Pick<Stack, 'spec' | 'observed'>): readonly string[] {
  if (observed === null) return []
  const parts = sourceRevisions(observed.revision)
  if (spec.sources.length > 1 && observed.place !== sourceLocations(spec)) return []
  return parts.length === spec.sources.length ? parts : []
}

/** A part of another ref, or of another file than the one that is wanted now, says nothing. */
function fits(source: SourceSpec, part: string): boolean {
  if (source.kind === 'git') return revisionRef(part) === source.ref
  return source.kind !== 'url' || source.digest === undefined || source.digest === part
}
