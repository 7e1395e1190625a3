// Sources of a stack, as declared.
import { sourceRevision } from './revision.js'

/**
 * `ref`: branch, tag, full ref, HEAD, a commit, or a version range (`semver:^1.2`); `path`: a folder or one file,
 * without slashes at its ends; '' is the root.
 */
export interface GitSpec {
  readonly kind: 'git'
  readonly url: string
  readonly ref: string
  readonly path: string
}

/**
 * One file, or an archive. `digest`: the required `sha256:<64 hex digits>`; `path`: in an archive, as of git; its first
 * segment may be `*`, which means the only folder at the top.
 */
export interface UrlSpec {
  readonly kind: 'url'
  readonly url: string
  readonly path?: string
  readonly digest?: string
}

/** A folder of this machine. `directory` is absolute. */
export interface DirectorySpec {
  readonly kind: 'directory'
  readonly directory: string
}

/**
 * Pushed through the API; a stack has at most one. `urls`: package files that gitmoor fetches at each apply over
 * `/api/v2` and does not poll.
 */
export interface InlineSpec {
  readonly kind: 'inline'
  readonly urls?: readonly string[]
}

export type SourceSpec = GitSpec | UrlSpec | DirectorySpec | InlineSpec

/** The followed ref of git, or the required digest of a file; '' for sources without a choice. */
export function sourceRef(source: SourceSpec): string {
  if (source.kind === 'git') return source.ref
  return source.kind === 'url' ? (source.digest ?? '') : ''
}

/**
 * The index of the source whose files a local directory replaces in a plan: the only source, else the only git source.
 * undefined: it is ambiguous.
 */
export function replaceableSource(sources: readonly Pick<SourceSpec, 'kind'>[]): number | undefined {
  const git = sources.flatMap(({ kind }, at) => (sources.length === 1 || kind === 'git' ? [at] : []))
  return git.length === 1 ? git[0] : undefined
}

/** The revision of this source for a hash. */
export function revisionFor(source: SourceSpec, hash: string): string {
  return source.kind === 'git' ? sourceRevision(source.ref, hash) : hash
}

/** The path in the source; '' is all of it. */
export function sourcePath(source: SourceSpec): string {
  if (source.kind === 'git') return source.path
  return source.kind === 'url' ? (source.path ?? '') : ''
}

/** The source without its ref: `URL//PATH`, `URL`, `url:URL`, `url:URL//PATH`, `directory:PATH`, `inline`. */
export function sourceLocation(source: SourceSpec): string {
  switch (source.kind) {
    case 'git':
      return source.path === '' ? source.url : `${source.url}//${source.path}`
    case 'url':
      return `url:${source.url}${sourcePath(source) === '' ? '' : `//${sourcePath(source)}`}`
    case 'directory':
      return `directory:${source.directory}`
    case 'inline':
      return 'inline'
  }
}

/** The locations of all sources, in order. */
export function sourceLocations({ sources }: { readonly sources: readonly SourceSpec[] }): string {
  return sources.map(sourceLocation).join(' ')
}

export function sameSources(one: readonly SourceSpec[], other: readonly SourceSpec[]): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

/** Package files that are fetched at each apply, beside the pushed ones. */
export function inlineUrls({ sources }: { readonly sources: readonly SourceSpec[] }): readonly string[] {
  return sources.flatMap((source) => (source.kind === 'inline' ? (source.urls ?? []) : []))
}
