// A second copy of what people declared and decided, in a file beside the database: `decisions.jsonl`. A line is synced
// to disk before its commit, so the file is never behind the database. The first line has the id of the database; each
// further line is the new content of a row, or says that the row was deleted.
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
import { Unavailable, isFullDisk } from '../../../model/errors.js'
import { syncFile } from '../file/database-file.js'

/** One row of a recorded table. `row`: null if it was deleted. */
export interface RecordedRow {
  readonly table: string
  readonly key: string
  readonly row: string | null
}

/** `seq`: the number of the last line, ascending. `rows`: existing rows by table and key. */
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

/** undefined: missing or damaged. A last line that a crash cut off is ignored: its commit never happened. */
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

/** Replaces the file atomically. */
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

  /** Opens the log that the start of the agent wrote. */
  constructor(file: string) {
    this.#handle = openSync(decisionsFile(file), 'a', 0o600)
  }

  /**
   * Synced to disk when it returns. Returns a function that removes the lines again. Errors: `Unavailable` store/full,
   * store/failed; then the file is unchanged.
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
      throw new Unavailable('Cannot write to the decision log.', {
        code: isFullDisk(cause) ? 'store/full' : 'store/failed',
        hint: 'Free space on the disk of the data directory; the agent continues by itself.',
        cause,
      })
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle)
  }
}

/** undefined: no such file. A damaged line is undefined. */
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
