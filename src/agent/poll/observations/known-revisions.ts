// The newest known revision of each source of a stack. The stack is synced only when all of them are known.
import { joinSourceRevisions, sourceRevisions, revisionRef } from '../../../model/sources/revision.js'
import { revisionFor, sourceLocations, type SourceSpec } from '../../../model/sources/source-spec.js'
import type { Stack } from '../../../model/stacks/stack.js'
import type { SourceRevision } from '../../../source/source.js'

/** By the source's index in the stack. */
export type RevisionBySource = ReadonlyMap<number, SourceRevision>

/** The revision of all sources. `bySource`: those that were polled since the start; the store knows the others. */
export interface KnownRevision {
  readonly revision: string
  readonly bySource: RevisionBySource
}

export class KnownRevisions {
  readonly #stacks = new Map<string, { readonly place: string; readonly bySource: RevisionBySource }>()

  /** Adds polled revisions. Returns the revision of the stack if those of all sources are known. */
  add({ id, spec, observed }: Stack, polled: RevisionBySource): KnownRevision | undefined {
    const place = sourceLocations(spec)
    const before = this.#stacks.get(id)
    const all = new Map([...(before?.place === place ? before.bySource : []), ...polled])
    this.#stacks.set(id, { place, bySource: all })
    const stored = observedSourceRevisions({ spec, observed })
    const known = spec.sources.map((source, at) => {
      const one = all.get(at)
      const revision = one === undefined ? stored[at] : revisionFor(source, one.state)
      return revision !== undefined && fits(source, revision) ? revision : undefined
    })
    return known.every((one) => one !== undefined) ? { revision: joinSourceRevisions(known), bySource: all } : undefined
  }

  remove(stack: string): void {
    this.#stacks.delete(stack)
  }
}

/** The revisions of the sources that the stack observed last; none if it had other sources then. */
export function observedSourceRevisions({ spec, observed }: Pick<Stack, 'spec' | 'observed'>): readonly string[] {
  if (observed === null) return []
  const revisions = sourceRevisions(observed.revision)
  if (spec.sources.length > 1 && observed.place !== sourceLocations(spec)) return []
  return revisions.length === spec.sources.length ? revisions : []
}

/** False for the revision of another ref, or of another file than the declared one. */
function fits(source: SourceSpec, revision: string): boolean {
  if (source.kind === 'git') return revisionRef(revision) === source.ref
  return source.kind !== 'url' || source.digest === undefined || source.digest === revision
}
