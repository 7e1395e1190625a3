// Checks that nobody moved or replaced the files that the agent has open. Otherwise its writes would be lost.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { decisionsFile } from '../decisions/decision-log.js'
import { SyncError } from '../../../model/errors.js'

export class FilesInPlace {
  readonly #locked: readonly string[]
  readonly #database: readonly string[]
  readonly #known = new Map<string, string>()

  /** `file`: the database, which opening it may still replace. The directory is locked. */
  constructor(file: string) {
    this.#locked = [dirname(file), join(dirname(file), 'lock.db')]
    this.#database = [file, `${file}-wal`, decisionsFile(file)]
    this.#check(this.#locked)
  }

  /** Once the database is open: why nothing may be written. A file was removed or replaced. */
  check(): SyncError | undefined {
    return this.#check([...this.#locked, ...this.#database])
  }

  #check(paths: readonly string[]): SyncError | undefined {
    for (const path of paths) {
      const [now, before] = [fileIdentity(path), this.#known.get(path)]
      if (before !== undefined && now !== before) return misplaced(path, now === undefined)
      if (now !== undefined) this.#known.set(path, now)
    }
    return undefined
  }
}

/** undefined: there is no such file. */
function fileIdentity(path: string): string | undefined {
  const status = statSync(path, { bigint: true, throwIfNoEntry: false })
  return status && `${status.dev} ${status.ino}`
}

function misplaced(path: string, removed: boolean): SyncError {
  return new SyncError(
    `${path} was ${removed ? 'removed' : 'replaced'} while the agent runs. Its writes would be lost.`,
    {
      code: 'store/gone',
      path,
      hint: 'Put the data directory back, then start the agent again.',
    },
  )
}
