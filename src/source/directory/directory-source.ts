// A local folder as a source. Its revision is the digest of the paths and contents of its package files.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock, type Clock } from '../../lib/clock.js'
import { Bug, Unavailable } from '../../model/errors.js'
import type { SourceSpec } from '../../model/sources/source-spec.js'
import { allowedDirectory, type AllowedDirectories, type AllowedDirectory } from '../allowed-directory.js'
import { refuseSize } from '../tree/read-files.js'
import type { OnRead, SourceRevision, Source, SourceFile, SourceLimits, Watching } from '../source.js'
import { readFileAt, stampFile, walkDirectory, type StampedFile } from './walk-directory.js'
import { WatchedDirectory } from './watched-directory.js'

/** Selects the files of a package. `ignoreFile` at its root, if present, lists excluded files. */
export interface PackageFiles {
  readonly isPackageFile: (path: string) => boolean
  readonly ignoreFile: string
  readonly isPackageFileBut: (ignoreBytes: Uint8Array) => (path: string) => boolean
}

export interface DirectorySourceOptions {
  readonly limits: SourceLimits
  /** `directories`: roots of readable directories. */
  readonly allow: { readonly directories: readonly AllowedDirectory[] }
  /** Never read, nor anything below it. */
  readonly dataDirectory: string
  readonly packageFiles: PackageFiles
  readonly clock?: Clock
}

const PREFIX = 'directory:'
/** How long a poll waits for git to finish in a work tree, and how often it checks. */
const lockMs = 2_000
const lockPauseMs = 25
const scanAttempts = 3
const refusedHint = 'Check the path, or add it or a directory above it to allow.directories in the configuration file.'

export class DirectorySource implements Source {
  readonly #limits: SourceLimits
  readonly #allow: AllowedDirectories
  readonly #packageFiles: PackageFiles
  readonly #clock: Clock
  /** The files found by the last poll, by remote and path. Unchanged files are not read again. */
  readonly #stamps = new Map<string, ReadonlyMap<string, StampedFile>>()
  readonly #watched = new Map<string, WatchedDirectory>()

  constructor({ limits, allow, dataDirectory, packageFiles, clock = systemClock }: DirectorySourceOptions) {
    this.#limits = limits
    this.#allow = { directories: allow.directories, dataDirectory }
    this.#packageFiles = packageFiles
    this.#clock = clock
  }

  remoteOf(source: SourceSpec): string {
    if (source.kind !== 'directory') throw new Bug(`A source of kind ${source.kind} is not a directory.`)
    return PREFIX + allowedDirectory(source.directory, this.#allow, refusedHint)
  }

  async poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead: OnRead = () => {},
  ): Promise<ReadonlyMap<string, SourceRevision | Error>> {
    onRead({ method: 'directory', bytes: 0 })
    const watched = this.#watched.get(remote)
    const state = await this.#scan(remote, signal).catch((error: unknown) => {
      watched?.markGone()
      throw error
    })
    watched?.markPresent()
    return new Map(refs.map((ref) => [ref, { name: '', state }]))
  }

  async fetch(remote: string, state: string, signal: AbortSignal): Promise<void> {
    if ((await this.#scan(remote, signal)) !== state) throw changedMeanwhile(directoryPath(remote))
  }

  async content(
    remote: string,
    state: string,
    path: string,
    signal = new AbortController().signal,
  ): Promise<string | undefined> {
    await this.fetch(remote, state, signal)
    return path === '' ? state : undefined
  }

  async files(
    remote: string,
    state: string,
    _path: string,
    includes: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    const directory = this.#check(remote)
    const files: SourceFile[] = []
    let totalBytes = 0
    for (const path of await this.#paths(directory, signal)) {
      signal.throwIfAborted()
      const file = await readFileAt(directory, path, this.#limits)
      refuseSize(path, file.bytes.length, (totalBytes += file.bytes.length), this.#limits)
      files.push(file)
    }
    if (stateOfFiles(files.map(({ path, id }) => [path, id])) !== state) throw changedMeanwhile(directory)
    return files.filter(({ path }) => includes(path))
  }

  /** Directories have no local copy. */
  keepOnly(): Promise<number> {
    return Promise.resolve(0)
  }

  /** Reports changes shortly after the last of several. Polls continue, and find changes that a watch misses. */
  watch(remote: string, watching: Watching): Disposable {
    const directory = directoryPath(remote)
    const watched = new WatchedDirectory(directory, {
      isPackageFile: this.#packageFiles.isPackageFile,
      depth: this.#limits.depth,
      clock: this.#clock,
      watching,
    })
    this.#watched.set(remote, watched)
    return {
      [Symbol.dispose]: () => {
        if (this.#watched.get(remote) === watched) this.#watched.delete(remote)
        watched[Symbol.dispose]()
      },
    }
  }

  /** The revision. If git is working in the tree, waits until it has finished. */
  async #scan(remote: string, signal: AbortSignal): Promise<string> {
    const directory = this.#check(remote)
    const lock = join(directory, '.git', 'index.lock')
    for (let attempt = 1; ; attempt++) {
      await this.#gone(lock, signal)
      const stamps = await this.#stamp(remote, directory, signal)
      if (attempt < scanAttempts && existsSync(lock)) continue // a checkout started meanwhile
      return stateOfFiles([...stamps].map(([path, { id }]) => [path, id]))
    }
  }

  /** Excluded files are not checked, neither for links nor for limits. */
  async #paths(directory: string, signal: AbortSignal): Promise<readonly string[]> {
    const { ignoreFile, isPackageFile, isPackageFileBut } = this.#packageFiles
    const hasRules = existsSync(join(directory, ignoreFile))
    const includes = hasRules
      ? isPackageFileBut((await readFileAt(directory, ignoreFile, this.#limits)).bytes)
      : isPackageFile
    return walkDirectory({ directory, includes, limits: this.#limits }, signal)
  }

  async #gone(lock: string, signal: AbortSignal): Promise<void> {
    for (let waited = 0; waited < lockMs && existsSync(lock); waited += lockPauseMs)
      await this.#clock.sleep(lockPauseMs, signal)
  }

  async #stamp(remote: string, directory: string, signal: AbortSignal): Promise<ReadonlyMap<string, StampedFile>> {
    const known = this.#stamps.get(remote)
    const stamps = new Map<string, StampedFile>()
    let totalBytes = 0
    for (const path of await this.#paths(directory, signal)) {
      signal.throwIfAborted()
      const one = await stampFile(directory, path, known?.get(path), this.#limits)
      refuseSize(path, one.bytes, (totalBytes += one.bytes), this.#limits)
      stamps.set(path, one)
    }
    this.#stamps.set(remote, stamps)
    return stamps
  }

  /** Checks again: the allowed directory may have been replaced by a link. */
  #check(remote: string): string {
    const directory = directoryPath(remote)
    const real = allowedDirectory(directory, this.#allow, refusedHint)
    if (real === directory) return directory
    throw new Unavailable(`${directory} is now a link to ${real}.`, {
      code: 'source/directory-missing',
      hint: 'Use that directory as the source, or restore the folder.',
    })
  }
}

function directoryPath(remote: string): string {
  return remote.slice(PREFIX.length)
}

/** `sha256:<digest>` of paths and contents, in order. */
function stateOfFiles(files: readonly (readonly [path: string, id: string])[]): string {
  return `sha256:${createHash('sha256').update(JSON.stringify(files)).digest('hex')}`
}

function changedMeanwhile(directory: string): Unavailable {
  return new Unavailable(`${directory} changed while it was read.`, {
    code: 'source/changed-meanwhile',
    hint: 'The next poll finds the new files.',
  })
}
