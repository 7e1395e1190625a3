import { statfsSync } from 'node:fs'

export interface DiskSpace {
  /** Free blocks for users other than root. */
  readonly bavail: number
  /** Bytes of a block. */
  readonly bsize: number
}

/** A commit needs at least this much. */
const leastFreeBytes = 1024 * 1024

/** Why nothing can be written to a directory; undefined: there is space. Throws if the directory does not exist. */
export function whyDiskFull(
  directory: string,
  { bavail, bsize }: DiskSpace = statfsSync(directory),
): string | undefined {
  const free = bavail * bsize
  return free < leastFreeBytes ? `the disk is full: ${directory} has ${Math.floor(free / 1024)} KiB left` : undefined
}
