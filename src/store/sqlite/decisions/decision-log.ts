// What people decided and declared, a second time, in a file beside the database: `decisions.jsonl`. Each line is on
// disk before the commit it belongs to, so the file is never behind the database. It begins with the id of its
// database; each further line is a row as it is now, or that it is gone.
import { createHash } from 'node:crypto'
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Unavailable } from '../../../model/errors.js'
import { isFullDisk } from '../../../model/machine-errors.js'
import { syncFile } from '../file/database-file.js'

/** One row of a recorded table. `row`: null where it was removed. */
export interface RecordedRow {
  readonly table: string
  readonly key: string
  readonly row: string | null
}

/** `seq`: ascending, of the last line. `rows`: what is there, by table and key. */
export interface Decisions {
  readonly database: string
  readonly seq: number
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, string>>
}

type Line = readonly [seq: number, table: string, key: string, row: string | null]

const checksumLength = 12

export function decisionsFile(file: string): string {
  return join(dirname(file), 'decisions.jsonl')
}

/**
 * undefined: there is none, or it is not as it was written. A last line that a crash cut off is no part of it: its
 * commit was never made.
 */
export function readDecisions(file: string): Decisions | undefined {
  const lines = readLines(decisionsFile(file))
  const [head, ...rest] = lines ?? []
  const [seq, , database] = head ?? []
  if (seq === undefined || database === undefined || rest.includes(undefined)) return undefined
  const rows = new Map<string, Map<string, string>>()
  for (const [, table, key, row] of rest as readonly Line[]) {
    const known = rows.get(table) ?? new Map<string, string>()
    rows.set(table, known)
    if (row === null) known.delete(key)
    else known.set(key, row)
  }
  return { database, seq: Math.max(seq, rest.at(-1)?.[0] ?? 0), rows }
}

/** Writes the file anew, whole or not at all. */
export function writeDecisions(file: string, database: string, seq: number, rows: readonly RecordedRow[]): void {
  const path = decisionsFile(file)
  const draft = `${path}.new`
  const handle = openSync(draft, 'w', 0o600)
  try {
    writeSync(handle, formatLine([seq, 'database', database, null]))
    for (const { table, key, row } of rows) writeSync(handle, formatLine([seq, table, key, row]))
  } finally {
    closeSync(handle)
  }
  syncFile(draft)
  renameSync(draft, path)
  syncFile(path)
}

export class DecisionLog implements Disposable {
  readonly #handle: number

  /** Opens the log that a start wrote. */
  constructor(file: string) {
    this.#handle = openSync(decisionsFile(file), 'a', 0o600)
  }

  /**
   * On disk when it returns; gives what takes it back. Errors: `Unavailable` store/full, store/failed; then the file is
   * as it was.
   */
  append(seq: number, rows: readonly RecordedRow[]): () => void {
    const { size } = fstatSync(this.#handle)
    try {
      const text = Buffer.from(rows.map(({ table, key, row }) => formatLine([seq, table, key, row])).join(''))
      for (let at = 0; at < text.length;) at += writeSync(this.#handle, text, at)
      fdatasyncSync(this.#handle)
      return () => ftruncateSync(this.#handle, size)
    } catch (cause) {
      ftruncateSync(this.#handle, size)
      throw new Unavailable('The decision could not be written down.', {
        code: isFullDisk(cause) ? 'store/full' : 'store/failed',
        hint: 'Free space where the data directory is; the agent goes on by itself.',
        cause,
      })
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle)
  }
}

/** undefined: no such file. A line that is not as it was written is undefined. */
function readLines(path: string): readonly (Line | undefined)[] | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    return text.split('\n').slice(0, -1).map(parseLine)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function parseLine(text: string): Line | undefined {
  const json = text.slice(checksumLength + 1)
  return text.startsWith(`${lineChecksum(json)} `) ? (JSON.parse(json) as Line) : undefined
}

function formatLine(line: Line): string {
  const json = JSON.stringify(line)
  return `${lineChecksum(json)} ${json}\n`
}

function lineChecksum(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, checksumLength)
}
