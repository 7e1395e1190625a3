/** `tar.gz`: whatever is packed with gzip is taken to be a tar archive. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip'

/**
 * By its first bytes (270 of them suffice): what a server says of it, and its name, may be wrong. Undefined: it is no
 * archive.
 */
export function detectArchiveFormat(bytes: Uint8Array): ArchiveFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 270)).toString('latin1')
  if (/^PK(\x03\x04|\x05\x06)/.test(head)) return 'zip'
  if (head.startsWith('\x1f\x8b\x08')) return 'tar.gz'
  return head.startsWith('ustar', 257) ? 'tar' : undefined
}

/** Whether a name says that it is an archive. */
export function isArchiveName(name: string): boolean {
  return /\.(tar|tar\.gz|tgz|zip)$/i.test(name)
}
