// Copies of the whole database: those it makes by itself, those a person takes away, and a data directory made from one.

/** What a restore needs to read what was sealed, and to be spoken to as before. */
export interface BackupSecrets {
  readonly key: Uint8Array
  readonly token: string
}

/** A whole database in a file that goes when it is disposed of. */
export interface Backup extends AsyncDisposable {
  readonly path: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** What a data directory is made from. `key`: a file that holds it, where the backup does not. */
export interface Restore {
  readonly file: string
  readonly key?: string
  readonly directory: string
}

export interface Restored {
  readonly directory: string
  readonly stacks: number
  /** When the backup was made, in milliseconds since the epoch; null: it does not say. */
  readonly madeAt: number | null
  readonly withKey: boolean
  /** Stacks that were being applied, and whose snapshots cannot be opened without the key. */
  readonly unopened: number
}

export interface KeptCopies {
  readonly kept: number
  readonly everyMs: number
}

/** Copies of the database, made while everything goes on: each holds one moment, and was looked through. */
export interface Copies {
  /** When the newest automatic copy was made; undefined: there is none. */
  newest(): Promise<number | undefined>
  /**
   * Makes an automatic copy. Of older ones, those are kept that are at least `everyMs` newer than the one before, `kept` in all with the new one. Gives its path.
   * Errors: `Unavailable` store/no-room.
   */
  make(keep: KeptCopies, signal: AbortSignal): Promise<string>
  /** A copy to be taken away. Errors: `Unavailable` store/no-room. */
  backup(options: { readonly version: string; readonly secrets?: BackupSecrets }, signal: AbortSignal): Promise<Backup>
}
