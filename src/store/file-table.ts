export interface PackageFileRow {
  readonly path: string
  readonly id: string
  readonly bytes: Uint8Array
}

export interface FileTable {
  /** Checks each file and their listing against their digests. undefined: missing or damaged; damage is removed. */
  get(digest: string): Promise<readonly PackageFileRow[] | undefined>
  /** The ids of the files, by path; empty: they are not stored. */
  ids(digest: string): Promise<ReadonlyMap<string, string>>
  /** Stores files that were fetched again. */
  keep(digest: string, files: readonly PackageFileRow[]): Promise<void>
  /**
   * Deletes runs without events beyond the newest `runsKept` of each stack, and files of old applied runs. Corrections
   * of drift count apart: many of them do not drive out the runs of other causes.
   */
  prune(keep: { readonly runsKept: number; readonly revisionsKept: number }): Promise<void>
}
