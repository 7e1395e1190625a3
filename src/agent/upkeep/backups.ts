import { Refused } from '../../model/errors.js'
import { readKey } from '../../secrets/keyring.js'
import type { Backup, BackupSecrets } from '../../store/copies.js'
import type { Store } from '../../store/store.js'
import { adminToken } from './data-directory.js'

export interface BackupsDeps {
  readonly store: Pick<Store, 'copies'>
  /** The data directory. */
  readonly data: string
  readonly version: string
}

/**
 * Backups for download, one at a time: each needs as much disk space as the database until the download ends.
 */
export class Backups {
  readonly #deps: BackupsDeps
  #inProgress = false

  constructor(deps: BackupsDeps) {
    this.#deps = deps
  }

  /** `withKey`: includes the key and the token. Errors: `Refused` locked; `Unavailable` store/no-room. */
  async create(withKey: boolean, signal: AbortSignal): Promise<Backup> {
    if (this.#inProgress)
      throw new Refused('locked', 'Another backup is in progress.', {
        code: 'agent/backup-in-progress',
        hint: 'Retry when it has ended.',
      })
    this.#inProgress = true
    try {
      const { store, version } = this.#deps
      const backup = await store.copies.backup({ version, ...(withKey ? { secrets: this.#secrets() } : {}) }, signal)
      return { ...backup, [Symbol.asyncDispose]: () => this.#end(backup) }
    } catch (error) {
      this.#release()
      throw error
    }
  }

  #secrets(): BackupSecrets {
    return { key: readKey(this.#deps.data), token: adminToken(this.#deps.data) }
  }

  async #end(backup: Backup): Promise<void> {
    try {
      await backup[Symbol.asyncDispose]()
    } finally {
      this.#release()
    }
  }

  #release(): void {
    this.#inProgress = false
  }
}
