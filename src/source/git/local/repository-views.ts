// A view is a directory that git reads instead of a local repository: with our configuration, and links to its refs and
// objects. Git never sees the repository's configuration, hooks and alternates.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasDescriptorPaths } from './open-directory.js'
import { diskError } from '../../disk-error.js'
import { looseFolders } from './check-entries.js'
import type { LocalRepository } from './local-repository.js'

export interface RepositoryView extends AsyncDisposable {
  readonly directory: string
  /** The descriptors of the child, from 3 on. The links of the view lead through them. */
  readonly descriptors: readonly (FileHandle | undefined)[]
}

const fd = { objects: 3, packs: 4, refs: 5, packedRefs: 6, shallow: 7 }
const throughDescriptor = (number: number): string => `/proc/self/fd/${number}`

const config = [
  '[core]',
  'repositoryformatversion = 0',
  'bare = true',
  'hooksPath = /dev/null',
  '[uploadpack]',
  'allowFilter = true',
  '',
]

export class RepositoryViews {
  readonly #directory: string
  #objects: Promise<string> | undefined

  /** `directory`: the folder for the views of this process only. */
  constructor(directory: string) {
    this.#directory = directory
  }

  /** A new name for the folder of a process. */
  static newName(): string {
    return `views-${randomUUID()}`
  }

  get name(): string {
    return basename(this.#directory)
  }

  /**
   * Creates a view for a child process that starts while its descriptors are open. Throws `Unavailable` if the disk
   * refuses it.
   */
  open(repository: LocalRepository): Promise<RepositoryView> {
    return this.#open(repository).catch((cause: unknown) => {
      throw diskError('create a view of the repository', cause)
    })
  }

  async #open({ head, objects, packs, refs, packedRefs, shallow }: LocalRepository): Promise<RepositoryView> {
    const directory = join(this.#directory, randomUUID())
    const to = (name: string, number: number): string =>
      hasDescriptorPaths ? throughDescriptor(number) : join(dirname(refs.path), name)
    const links = [
      [hasDescriptorPaths ? await this.#sharedObjects() : objects.path, 'objects'],
      [to('refs', fd.refs), 'refs'],
      ...(packedRefs === undefined ? [] : [[to('packed-refs', fd.packedRefs), 'packed-refs'] as const]),
      ...(shallow === undefined ? [] : [[to('shallow', fd.shallow), 'shallow'] as const]),
    ] as const
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeFile(join(directory, 'config'), config.join('\n'))
    await writeFile(join(directory, 'HEAD'), `${head}\n`)
    for (const [to, name] of links) await symlink(to, join(directory, name))
    return {
      directory,
      descriptors: [objects.handle, packs.handle, refs.handle, packedRefs, shallow],
      [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
    }
  }

  /** Made again if somebody removed the directory. */
  async #sharedObjects(): Promise<string> {
    const known = this.#objects
    if (known !== undefined && !existsSync(await known) && this.#objects === known) this.#objects = undefined
    this.#objects ??= this.#linkObjects().catch((error: unknown) => {
      this.#objects = undefined
      throw error
    })
    return this.#objects
  }

  /** Links to everything that can contain objects, except `info`, which names other places to read objects from. */
  async #linkObjects(): Promise<string> {
    const directory = join(this.#directory, 'objects')
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await symlink(throughDescriptor(fd.packs), join(directory, 'pack'))
    for (const name of looseFolders) await symlink(`${throughDescriptor(fd.objects)}/${name}`, join(directory, name))
    return directory
  }
}
