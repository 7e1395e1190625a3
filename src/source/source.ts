// source: where packages come from. Takes the declared sources of stacks; gives revisions of refs, and files of states.
// Nothing is ever checked out. Promises: one request per poll, however many refs; a state is readable only if it is
// complete and verified; all input is limited.
import type { SourceSpec } from '../model/sources/source-spec.js'

/**
 * The revision of a ref. `state`: `sha1:<commit>` for git, `sha256:<digest>` for any other source. `name`: the full
 * ref; the commit if the ref is one; '' if the source has no refs. `object`: the tag object of an annotated tag, else
 * the commit; absent if the source has no refs.
 */
export interface SourceRevision {
  readonly name: string
  readonly state: string
  readonly object?: string
  /** Who pushed it, if known. */
  readonly by?: string
}

/**
 * One file of a revision. `path`: relative to the requested path, with slashes; of a single file its name.
 * `id`: git blob id.
 */
export interface SourceFile {
  readonly path: string
  readonly id: string
  readonly bytes: Uint8Array
}

export interface SourceLimits {
  /** From a request of the git protocol to the start of its answer. Default 30,000. */
  readonly gitRequestMs: number
  /** A whole fetch. Default 120,000. */
  readonly fetchMs: number
  /** Of one pack. Default 32 MiB. */
  readonly packBytes: number
  /** Of one file that is read. Default 4 MiB. */
  readonly fileBytes: number
  /** Files below a path. Default 10,000. */
  readonly files: number
  /** Bytes of all files that are read below a path. Default 64 MiB. */
  readonly totalBytes: number
  /** Nesting of folders. Default 32. */
  readonly depth: number
  /** Of the answer to a poll. Default 16 MiB. */
  readonly refsBytes: number
}

/**
 * Called while an answer is read. `method`: of the request, such as `git-http` or `git-file`. `bytes`: since the last
 * call; the first call has 0.
 */
export type OnRead = (read: { readonly method: string; readonly bytes: number }) => void

/** Callbacks of a watch. `onError`: the watch failed or ended; polls continue. */
export interface Watching {
  readonly onChange: () => void
  readonly onError: (error: unknown) => void
  /** Called when the watch begins. */
  readonly onReady?: () => void
}

/** Remotes whose local copies are kept. */
export interface UsedRemotes {
  readonly remotes: readonly string[]
  /** Remotes that another configuration may use: their copies are kept, with whichever credential they were fetched. */
  readonly undecided: readonly string[]
}

/**
 * Errors: `Unavailable` (network, 5xx, time), `Rejected` (401, 403, 404, refused address, redirect, limits, a ref or
 * path that does not exist), `Ambiguous` (a name that is both a branch and a tag).
 */
export interface Source {
  /**
   * The remote of a source, for the stack of this name. Sources that share a remote get the same one. Throws `Rejected`
   * for a source that is not allowed.
   */
  remoteOf(source: SourceSpec, stack: string): string
  /**
   * The revisions of refs, by one request. A missing or ambiguous ref has an error in its place; the others are not
   * affected.
   */
  poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead?: OnRead,
  ): Promise<ReadonlyMap<string, SourceRevision | Error>>
  /** Makes a state readable: fetches, verifies and publishes it. Does nothing if it is readable already. */
  fetch(remote: string, state: string, signal: AbortSignal): Promise<void>
  /**
   * The id of the file or folder at a path ('' is the root), equal only for equal files; undefined: the path does not
   * exist. Throws `Rejected` for a symbolic link. `content` and `files` fetch a state again if its copy is corrupt or
   * was replaced.
   */
  content(remote: string, state: string, path: string, signal?: AbortSignal): Promise<string | undefined>
  /**
   * The files at or below a path that `isIncluded` selects, by byte order of their paths. Throws `Rejected` if the path
   * does not exist, or if a selected entry is a symbolic link, a pointer of Git LFS, or a submodule (selected with a
   * slash at its end).
   */
  files(
    remote: string,
    state: string,
    path: string,
    isIncluded: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]>
  /**
   * Deletes the local copies of all other remotes; resolves with their number. Later requests fetch them again.
   */
  keepOnly(used: UsedRemotes): Promise<number>
  /** Reports changes as they happen, until it is disposed. undefined: the source cannot, so only polls find changes. */
  watch(remote: string, watching: Watching): Disposable | undefined
}
