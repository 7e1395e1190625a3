// The file with the remotes that the agent is reading. It is written before each read begins, so it survives any crash.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Read by the next process. */
export interface ReadsRecord {
  /** Remotes that are being read. */
  readonly reading: readonly string[]
  /** The number of crashes in a row while a remote was read. */
  readonly crashes: Readonly<Record<string, number>>
}

const recordSchema = z.object({
  reading: z.array(z.string()),
  crashes: z.record(z.string(), z.number().int().positive()),
})
/** A larger or damaged record counts as empty. */
const mostBytes = 4 * 1024 * 1024

/**
 * To be closed. Writes are not flushed to the disk: after a power failure the record may be outdated, which delays
 * reads.
 */
export class ReadsFile implements Disposable {
  readonly #file: number
  #written = ''

  constructor(directory: string) {
    this.#file = openSync(
      join(directory, 'reads.json'),
      constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    )
  }

  read(): ReadsRecord {
    try {
      const bytes = Buffer.alloc(Math.min(fstatSync(this.#file).size, mostBytes))
      const length = readSync(this.#file, bytes, 0, bytes.length, 0)
      return recordSchema.parse(JSON.parse(bytes.toString('utf8', 0, length).split('\n', 1)[0]!))
    } catch {
      return { reading: [], crashes: {} }
    }
  }

  /** Overwrites the first line; the rest of a longer line stays behind it. A full disk does not stop reads. */
  write(record: ReadsRecord): void {
    const line = `${JSON.stringify(record)}\n`
    if (line === this.#written) return
    this.#written = ''
    try {
      writeSync(this.#file, line, 0)
      this.#written = line
    } catch {
      // The next write tries again.
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
