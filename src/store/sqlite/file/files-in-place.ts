// The files of a data directory that an agent has open: what it writes is kept only while they stay where they are.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { decisionsFile } from '../decisions/decision-log.js'
import { SyncError } from '../../../model/errors.js'

export class FilesInPlace {
  readonly #held: readonly string[]
  readonly #database: readonly string[]
  readonly #known = new Map<string, string>()

  /** `file`: the database, which opening may still replace; the directory is locked already. */
  constructor(file: string) {
    this.#held = [dirname(file), join(dirname(file), 'lock.db')]
    this.#database = [file, `${file}-wal`, decisionsFile(file)]
    this.#check(this.#held)
  }

  /** Once the database is open: why nothing may be written. A file was removed, or another one is in its place. */
  check(): SyncError | undefined {
    return this.#check([...this.#held, ...this.#database])
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
    `${path} was ${removed ? 'removed' : 'replaced'} while the agent runs: nothing that it writes is kept.`,
    {
      code: 'store/gone',
      path,
      hint: 'Put the data directory back, then start the agent again.',
    },
  )
}
