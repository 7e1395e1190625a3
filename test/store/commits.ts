import { readFileSync } from 'node:fs'

const headerBytes = 32
const frameHeaderBytes = 24

/**
 * The commits in the write-ahead log of a database file, since its last checkpoint. A frame that ends a commit names
 * the size of the database: https://www.sqlite.org/fileformat2.html#walformat
 */
export function commitsOf(file: string): number {
  const log = readFileSync(`${file}-wal`)
  if (log.length === 0) return 0
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8)
  const salt = log.subarray(16, 24)
  let commits = 0
  for (let at = headerBytes; at + frameBytes <= log.length; at += frameBytes)
    if (log.subarray(at + 8, at + 16).equals(salt) && log.readUInt32BE(at + 4) > 0) commits++
  return commits
}
