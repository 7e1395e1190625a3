import Database from 'better-sqlite3'
import { inflateSync } from 'node:zlib'

/** All rows of a database as text, plans unpacked, but those with the files of packages. */
export function rowsOf(file: string): Buffer {
  const database = new Database(file, { readonly: true })
  try {
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name <> 'blobs'")
      .pluck()
      .all() as string[]
    const rows = tables.flatMap((table) => database.prepare(`select * from "${table}"`).all() as object[])
    return Buffer.from(rows.flatMap((row) => Object.values(row).map(textOf)).join('\n'))
  } finally {
    database.close()
  }
}

function textOf(cell: unknown): string {
  if (!Buffer.isBuffer(cell)) return String(cell)
  try {
    return inflateSync(cell).toString()
  } catch {
    return cell.toString('latin1')
  }
}
