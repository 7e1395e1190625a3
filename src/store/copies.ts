// Copies of the whole database: automatic copies, backups, and a data directory restored from a backup.

/** What a restore needs to read sealed values and to keep the API's token. */
export interface BackupSecrets {
  readonly key: Uint8Array
  readonly token: string
}

/** A whole database in a temporary file, which is removed when the backup is disposed of. */
export interface Backup extends AsyncDisposable {
  readonly path: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** The source of a restored data directory. `key`: a file with the key, if the backup does not have it. */
export interface Restore {
  readonly file: string
  readonly key?: string
  readonly directory: string
}

export interface Restored {
  readonly directory: string
  readonly stacks: number
  /** How many of them a configuration file or a fleet declares. */
  readonly declared: number
  /** When the backup was made, in milliseconds since the epoch; null: unknown. */
  readonly createdAt: number | null
  readonly withKey: boolean
  /** Stacks with unfinished applies, whose snapshots cannot be opened without the key. */
  readonly cannotUndo: number
}

export interface KeptCopies {
  readonly kept: number
  readonly everyMs: number
}

/** Copies of the database, made while it is in use: each is consistent and checked. */
export interface Copies {
  /** When the newest automatic copy was made; undefined: never. */
  newest(): Promise<number | undefined>
  /**
   * Makes an automatic copy and returns its path. Keeps `kept` copies with the new one; older ones are kept if they are
   * at least `everyMs` newer than the one before. Errors: `Unavailable` store/no-room.
   */
  make(keep: KeptCopies, signal: AbortSignal): Promise<string>
  /** Makes a backup. Errors: `Unavailable` store/no-room. */
  backup(options: { readonly version: string; readonly secrets?: BackupSecrets }, signal: AbortSignal): Promise<Backup>
}
