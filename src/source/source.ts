// source: where packages come from. Takes what a stack declares, and refs or states; gives states and their files.
// Nothing is ever checked out. Promises: one request per look, however many refs; a state is readable only when it is
// complete and verified; limits hold on everything that comes in.
import type { SourceSpec } from '../model/source-spec.js'

/**
 * What a ref stands for now. `state`: `sha1:<commit>` of git, `sha256:<digest>` of any other source. `name`: the full
 * ref, or the commit where the ref is one; '' where a source has no refs. `object`: the tag object where annotated,
 * else the commit; absent where there are no refs.
 */
export interface SourceRevision {
  readonly name: string
  readonly state: string
  readonly object?: string
  /** Who handed it over, where that is known. */
  readonly by?: string
}

/**
 * One file of a revision. `path`: relative to the path that was asked for, with slashes; of a single file its name.
 * `id`: git blob id.
 */
export interface SourceFile {
  readonly path: string
  readonly id: string
  readonly bytes: Uint8Array
}

export interface SourceLimits {
  /** One request of the git protocol and its answer's start. Default 30,000. */
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
  /** Folders in folders. Default 32. */
  readonly depth: number
  /** Of the answer to a look at refs. Default 16 MiB. */
  readonly refsBytes: number
}

/**
 * Told what was read of a remote, as it comes. `method`: how it is reached, `git-http`, `git-file`; `bytes`: since the
 * last time, 0 as the reading begins.
 */
export type OnRead = (read: { readonly method: string; readonly bytes: number }) => void

/** Who is told of changes. `onError`: watching does not work, or not any more; looks go on. */
export interface Watching {
  readonly onChange: () => void
  readonly onError: (error: unknown) => void
  /** Told when it begins to watch. */
  readonly onReady?: () => void
}

/**
 * Errors: `Unavailable` (network, 5xx, time), `Rejected` (401, 403, 404, refused address, redirect, limits, a ref or
 * path that is not there), `Ambiguous` (a name that is both a branch and a tag).
 */
export interface Source {
  /**
   * The one name of what a source of a stack (by its name) is read from: two that are the same remote are equal. Throws
   * `Rejected` for what is refused.
   */
  remoteOf(source: SourceSpec, stack: string): string
  /**
   * What refs stand for, by one request. A ref that is not there, or is ambiguous, has an error in its place; the
   * others are not affected.
   */
  poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead?: OnRead,
  ): Promise<ReadonlyMap<string, SourceRevision | Error>>
  /** Makes a state readable: fetched, verified, published. Nothing to do if it is there already. */
  fetch(remote: string, state: string, signal: AbortSignal): Promise<void>
  /**
   * Id of what is at a path ('' is the root) of a state, the same only for the same files; undefined: nothing is there.
   * Throws `Rejected` for a symbolic link. A state that is not here (any more: its copy was damaged, or replaced) is
   * fetched again, here and in `files`.
   */
  content(remote: string, state: string, path: string, signal?: AbortSignal): Promise<string | undefined>
  /**
   * Files at or below a path for which `wanted` says yes, by byte order of their paths. Throws `Rejected` where nothing
   * is at the path, or where what is wanted cannot be had: a symbolic link, a pointer of Git LFS, a submodule (asked
   * for with a slash at its end).
   */
  files(
    remote: string,
    state: string,
    path: string,
    wanted: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]>
  /**
   * Removes what is kept here of any other remote than these; gives of how many. What is asked for all the same is had
   * anew.
   */
  keepOnly(remotes: readonly string[]): Promise<number>
  /** Tells of changes as they happen, where the source can; undefined: only looks find them. To be disposed. */
  watch(remote: string, watching: Watching): Disposable | undefined
}
