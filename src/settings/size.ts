// A number of bytes as people write it in the configuration file.

const bytesOf: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }
const sizePattern = /^(\d{1,9})(B|KiB|MiB|GiB)$/

/** Bytes of `32MiB`; undefined: invalid. */
export function parseSize(text: string): number | undefined {
  const match = sizePattern.exec(text)
  return match ? Number(match[1]) * (bytesOf[match[2] ?? ''] ?? 1) : undefined
}
