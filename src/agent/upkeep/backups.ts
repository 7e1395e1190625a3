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
 * Backups to be taken away, one at a time: each needs as much room as the database, for as long as somebody reads it.
 */
export class Backups {
  readonly #deps: BackupsDeps
  #inProgress = false

  constructor(deps: BackupsDeps) {
    this.#deps = deps
  }

  /** With the key and the token where `withKey` says so. Errors: `Refused` locked; `Unavailable` store/no-room. */
  async create(withKey: boolean, signal: AbortSignal): Promise<Backup> {
    if (this.#inProgress)
      throw new Refused('locked', 'A backup is being made or taken away already.', {
        code: 'agent/backup-in-hand',
        hint: 'Try again when that one has ended.',
      })
    this.#inProgress = true
    try {
      const { store, version } = this.#deps
      const backup = await store.copies.backup({ version, ...(withKey ? { secrets: this.#secrets() } : {}) }, signal)
      return { ...backup, [Symbol.asyncDispose]: () => this.#end(backup) }
    } catch (error) {
      this.#letGo()
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
      this.#letGo()
    }
  }

  #letGo(): void {
    this.#inProgress = false
  }
}
