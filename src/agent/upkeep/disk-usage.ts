import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.js'

/** Folders are measured at most this often: there may be thousands of clones. */
const walkEveryMs = 60_000

/**
 * The size of the data directory in bytes: of the database with its log, of each folder, and of all other files. Files
 * that are deleted meanwhile count as 0.
 */
export class DiskUsage {
  readonly #directory: string
  readonly #clock: Clock
  readonly #folders = new Map<string, { readonly at: number; readonly bytes: number }>()

  constructor(directory: string, clock: Clock) {
    this.#directory = directory
    this.#clock = clock
  }

  async read(): Promise<ReadonlyMap<string, number>> {
    const parts = new Map([
      ['database', 0],
      ['other', 0],
    ])
    for (const entry of await readdir(this.#directory, { withFileTypes: true })) {
      const path = join(this.#directory, entry.name)
      const part = entry.isDirectory()
        ? entry.name
        : /^gitmoor\.db(-wal|-shm)?$/.test(entry.name)
          ? 'database'
          : 'other'
      parts.set(part, (parts.get(part) ?? 0) + (entry.isDirectory() ? await this.#folder(path) : await bytesOf(path)))
    }
    return parts
  }

  async #folder(path: string): Promise<number> {
    const known = this.#folders.get(path)
    const now = this.#clock.now()
    if (known !== undefined && now - known.at < walkEveryMs) return known.bytes
    const bytes = await walk(path)
    this.#folders.set(path, { at: now, bytes })
    return bytes
  }
}

async function walk(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    const path = join(directory, entry.name)
    bytes += entry.isDirectory() ? await walk(path) : await bytesOf(path)
  }
  return bytes
}

async function bytesOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
