// The sources of a stack beside the parts of a revision: which remote has which state, and where its files stand in the
// package.
import { Rejected } from '../model/errors.js'
import { joinParts, partsOf, stateOf } from '../model/revision.js'
import { partFor, refOf, type SourceSpec } from '../model/source-spec.js'
import type { StackSpec } from '../model/stack.js'
import { seenRef } from '../source/seen-ref.js'
import type { Source } from '../source/source.js'

export interface SourcePart {
  readonly spec: SourceSpec
  readonly remote: string
  readonly state: string
  /** Where its files stand: '' where it is the only source, else `sources[0]/`. */
  readonly folder: string
}

/** Throws `Rejected` for a revision of other sources: the stack's were changed since. */
export function sourceParts({ name, sources }: StackSpec, revision: string, source: Source): readonly SourcePart[] {
  const parts = partsOf(revision)
  if (parts.length !== sources.length)
    throw new Rejected(`${revision} is not a revision of the sources that ${name} has now.`, {
      code: 'source/other-sources',
      hint: `Look at the sources again: gitmoor sync ${name}`,
    })
  return sources.map((spec, at) => ({
    spec,
    remote: source.remoteOf(spec, name),
    state: stateOf(parts[at]!),
    folder: folderOf(sources, at),
  }))
}

/** '' of the only source, else `sources[0]/`. */
export function folderOf(sources: readonly SourceSpec[], at: number): string {
  return sources.length === 1 ? '' : `sources[${at}]/`
}

/** The revision that all sources have now, each looked at once. Throws what keeps one of them from being seen. */
export async function revisionNow(
  { name, sources }: StackSpec,
  source: Pick<Source, 'remoteOf' | 'look'>,
  signal: AbortSignal,
): Promise<string> {
  const parts = await Promise.all(
    sources.map(async (spec) => {
      const ref = refOf(spec)
      const looked = await source.look(source.remoteOf(spec, name), [ref], signal)
      return partFor(spec, seenRef(looked, ref).state)
    }),
  )
  return joinParts(parts)
}
