// What a reader of archives gives, entry by entry, and what it throws.

/** One entry of an archive, in its order. Its chunks are to be read before the next entry is asked for. */
export interface ArchiveEntry {
  /** As it stands in the archive. What is not UTF-8 in it is U+FFFD. */
  readonly name: string
  /** `other`: neither a file, nor a folder, nor a symbolic link; `what` says which. */
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly description: string
  /** Of all its chunks. */
  readonly size: number
  /** The bytes of a file; of a link where it leads. */
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Counts what is unpacked. Throws what is to be thrown when it is too much, before more is unpacked. */
export type OnUnpacked = (bytes: number) => void

/**
 * An archive that is cut, damaged or contradicts itself. The message is a sentence without its subject and full stop.
 */
export class BadArchive extends Error {
  override readonly name = 'BadArchive'
}
