// Automatic copies of the database, `<data>/copies/<time>.v<version>.db`, made before an upgrade and at an interval.
import type Database from 'better-sqlite3'
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Unavailable } from '../../../model/errors.js'
import type { KeptCopies } from '../../copies.js'
import { removeDatabase, syncFile, timeName } from '../file/database-file.js'

export interface CopyFile {
  readonly path: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

const pattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.v\d+\.db$/

/** Copies of a database, newest first. */
export function listCopies(file: string): readonly CopyFile[] {
  const directory = copiesDirectory(file)
  return namesIn(directory)
    .flatMap((name) => {
      const time = pattern.exec(name)
      return time === null ? [] : [{ path: join(directory, name), at: Date.UTC(...numbers(time.slice(1))) }]
    })
    .sort((a, b) => b.at - a.at)
}

/** Makes a copy in one blocking step, for a start, when nothing else runs. Returns its path. */
export function copyAtOnce(database: Database.Database, file: string, now: number): string {
  const path = copyPath(file, database.pragma('user_version', { simple: true }) as number, now)
  const draft = `${path}.part`
  removeDatabase(draft)
  try {
    database.prepare('vacuum into ?').run(draft)
    publishCopy(draft, path)
  } finally {
    removeDatabase(draft)
  }
  return path
}

/** The path of a new copy. Creates the directory and checks the free space. Errors: `Unavailable` store/no-room. */
export function copyPath(file: string, version: number, now: number): string {
  return join(directoryWithRoom(file), `${timeName(now)}.v${version}.db`)
}

/** The directory of the copies, created if it is missing. Errors: `Unavailable` store/no-room. */
export function directoryWithRoom(file: string): string {
  const directory = copiesDirectory(file)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  checkRoom(file)
  return directory
}

/** Makes a draft a copy: synced to disk, with mode 0600, under its name. */
export function publishCopy(draft: string, path: string): void {
  chmodSync(draft, 0o600)
  syncFile(draft)
  renameSync(draft, path)
  syncFile(path)
}

/** Removes copies until `kept` are left: the newest, and older ones at least `everyMs` apart. */
export function pruneCopies(file: string, { kept, everyMs }: KeptCopies): void {
  const copies = listCopies(file)
  const left: CopyFile[] = []
  for (const copy of copies.toReversed())
    if (copy === copies[0] || copy.at - (left.at(-1)?.at ?? 0) >= everyMs) left.push(copy)
  const leaving = new Set(left.slice(-kept))
  for (const copy of copies) if (!leaving.has(copy)) rmSync(copy.path, { force: true })
}

/** Removes unfinished copies of a killed process. */
export function removeDrafts(file: string): void {
  const directory = copiesDirectory(file)
  for (const name of namesIn(directory))
    if (/\.part(?:-wal|-shm|-journal)?$/.test(name)) rmSync(join(directory, name), { force: true })
}

function copiesDirectory(file: string): string {
  return join(dirname(file), 'copies')
}

/** A copy needs 10 % more than the size of the database. */
function checkRoom(file: string): void {
  const needed = statSync(file).size * 1.1
  const { bavail, bsize } = statfsSync(dirname(file))
  if (bavail * bsize >= needed) return
  throw new Unavailable(
    `Not enough disk space for a copy of the database: ${Math.ceil(needed / 1024 ** 2)} MiB needed.`,
    {
      code: 'store/no-room',
      path: copiesDirectory(file),
      hint: 'Free space on the disk of the data directory.',
    },
  )
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function numbers([year, month, ...rest]: readonly string[]): [number, number, ...number[]] {
  return [Number(year), Number(month) - 1, ...rest.map(Number)]
}
