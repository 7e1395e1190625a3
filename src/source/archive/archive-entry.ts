// The entries that an archive reader yields, and the errors it throws.

/** One entry of an archive, in archive order. Read its chunks before the next entry. */
export interface ArchiveEntry {
  /** The name in the archive. Invalid UTF-8 is U+FFFD. */
  readonly name: string
  /** `other`: neither a file, nor a folder, nor a symbolic link; `description` says which. */
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly description: string
  /** The sum of all chunks. */
  readonly size: number
  /** The bytes of a file, or the target of a link. */
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Counts unpacked bytes. Throws if there are too many, before more are unpacked. */
export type OnUnpacked = (bytes: number) => void

/** An archive that is incomplete, damaged or inconsistent. The message is a sentence without subject and full stop. */
export class BadArchive extends Error {
  override readonly name = 'BadArchive'
}
