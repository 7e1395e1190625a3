/** `tar.gz`: anything compressed with gzip is treated as a tar archive. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip'

/** Detects the format by the first 270 bytes, because content type and name can be wrong. Undefined: not an archive. */
export function detectArchiveFormat(bytes: Uint8Array): ArchiveFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 270)).toString('latin1')
  if (/^PK(\x03\x04|\x05\x06)/.test(head)) return 'zip'
  if (head.startsWith('\x1f\x8b\x08')) return 'tar.gz'
  return head.startsWith('ustar', 257) ? 'tar' : undefined
}

/** Whether a file name is that of an archive. */
export function isArchiveName(name: string): boolean {
  return /\.(tar|tar\.gz|tgz|zip)$/i.test(name)
}
