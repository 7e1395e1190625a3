// The sources of a stack at a revision: the state of each remote, and the folder of its files in the package.
import { Rejected } from '../../model/errors.js'
import { joinSourceRevisions, sourceRevisions, revisionHash, shortRevision } from '../../model/sources/revision.js'
import { revisionFor, sourceRef, type SourceSpec, sourcePath } from '../../model/sources/source-spec.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import { foundRef } from '../../source/found-ref.js'
import type { Source } from '../../source/source.js'

export interface SourceAtRevision {
  readonly spec: SourceSpec
  readonly remote: string
  readonly state: string
  /** The folder of its files: '' for an only source, else `sources[0]/`. */
  readonly folder: string
}

/** Throws `Rejected` for a revision of other sources: the sources of the stack were changed since. */
export function sourcesAtRevision(
  { name, sources }: StackSpec,
  revision: string,
  source: Source,
): readonly SourceAtRevision[] {
  const parts = sourceRevisions(revision)
  if (parts.length !== sources.length)
    throw new Rejected(`${shortRevision(revision)} is not a revision of the current sources of ${name}.`, {
      code: 'source/other-sources',
      hint: `Poll the current sources: gitmoor sync ${name}`,
    })
  return sources.map((spec, at) => ({
    spec,
    remote: source.remoteOf(spec, name),
    state: revisionHash(parts[at]!),
    folder: sourceFolder(sources, at),
  }))
}

/** '' of the only source, else `sources[0]/`. */
function sourceFolder(sources: readonly SourceSpec[], at: number): string {
  return sources.length === 1 ? '' : `sources[${at}]/`
}

/** The current revision of all sources, by one poll of each. Throws the error of a source that is unreachable. */
export async function currentRevision(
  { name, sources }: Pick<StackSpec, 'name' | 'sources'>,
  source: Pick<Source, 'remoteOf' | 'poll'>,
  signal: AbortSignal,
): Promise<string> {
  const parts = await Promise.all(
    sources.map(async (spec) => {
      const ref = sourceRef(spec)
      const polled = await source.poll(source.remoteOf(spec, name), [ref], signal)
      return revisionFor(spec, foundRef(polled, ref).state)
    }),
  )
  return joinSourceRevisions(parts)
}

/** The full path in its source of a file of the package: in a package, paths start at the path of each source. */
export function sourcePathOf(sources: readonly SourceSpec[]): (file: string) => string {
  const tops = sources
    .map((source, at) => ({ folder: sourceFolder(sources, at), path: sourcePath(source) }))
    .filter(({ path }) => path !== '')
  return (file) => {
    const top = tops.find(({ folder }) => file.startsWith(folder))
    return top === undefined ? file : top.folder + below(top.path, file.slice(top.folder.length))
  }
}

/** `path` may be the file itself. */
function below(path: string, file: string): string {
  return path === file || path.endsWith(`/${file}`) ? path : `${path}/${file}`
}
