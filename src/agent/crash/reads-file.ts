// The file that holds which remotes the agent reads now. It is written before each read begins, so it survives any
// death of the process.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** What one process leaves to the next one. */
export interface ReadsRecord {
  /** Remotes that are being read. */
  readonly reading: readonly string[]
  /** How often in a row the agent ended abnormally while it read a remote. */
  readonly crashes: Readonly<Record<string, number>>
}

const recordSchema = z.object({
  reading: z.array(z.string()),
  crashes: z.record(z.string(), z.number().int().positive()),
})
/** Of the record. A larger or damaged one counts as empty. */
const mostBytes = 4 * 1024 * 1024

/**
 * To be closed. Nothing is synced to the disk: after a power failure the record may be older, which delays some reads.
 */
export class ReadsFile implements Disposable {
  readonly #file: number

  constructor(directory: string) {
    this.#file = openSync(
      join(directory, 'reads.json'),
      constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    )
  }

  read(): ReadsRecord {
    try {
      const bytes = Buffer.alloc(mostBytes)
      const length = readSync(this.#file, bytes, 0, mostBytes, 0)
      return recordSchema.parse(JSON.parse(bytes.toString('utf8', 0, length).split('\n', 1)[0]!))
    } catch {
      return { reading: [], crashes: {} }
    }
  }

  /** One line; the rest of a longer one before it stays behind it. A full disk does not keep the agent from reading. */
  write(record: ReadsRecord): void {
    try {
      writeSync(this.#file, `${JSON.stringify(record)}\n`, 0)
    } catch {
      // The next write tries again.
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
