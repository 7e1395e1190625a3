import { sql } from 'kysely'
import { chunks } from '../../../lib/chunks.js'
import { jsonDigest } from '../../../plan/digest.js'
import { isBlobOf } from '../../../source/blob-id.js'
import type { FileTable, PackageFileRow } from '../../file-table.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** Larger contents are stored before the transaction that refers to them. */
const smallBytes = 64 * 1024

/** True if one transaction may store them with what refers to them. */
export function isSmall(files: readonly PackageFileRow[]): boolean {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0) <= smallBytes
}

/**
 * Stores the contents of files before the transaction that refers to them, each in a commit of its own. Contents that
 * nothing refers to are pruned.
 */
export async function saveBlobs(file: SqliteFile, digest: string, files: readonly PackageFileRow[]): Promise<void> {
  const known = file.build.selectFrom('packages').select('digest').where('digest', '=', digest)
  if ((await file.read(() => file.get(known))) !== undefined) return
  await Promise.all(files.map((one) => file.write(() => saveBlob(file, one))))
}

/**
 * Inside a transaction: stores files under their digest, each content once, with contents that `saveBlobs` did not
 * store or that were pruned since.
 */
export function saveFiles(file: SqliteFile, digest: string, files: readonly PackageFileRow[]): void {
  const listing = JSON.stringify(files.map(({ path, id }) => [path, id]))
  const kept = file.run(queries.keep({ digest, files: listing }))
  if (kept.changes === 0) return
  for (const one of files) if (file.get(queries.blob({ id: one.id })) === undefined) saveBlob(file, one)
}

function saveBlob(file: SqliteFile, { id, bytes }: PackageFileRow): void {
  file.run(queries.keepBlob({ id, bytes: Buffer.from(bytes) }))
}

/** The queries of each run. */
const queries = {
  listing: preparedQuery(({ digest }: { readonly digest: string }) =>
    build.selectFrom('packages').select('files').where('digest', '=', digest),
  ),
  keep: preparedQuery(({ digest, files }: { readonly digest: string; readonly files: string }) =>
    build
      .insertInto('packages')
      .values({ digest, files })
      .onConflict((conflict) => conflict.doNothing()),
  ),
  blob: preparedQuery(({ id }: { readonly id: string }) => build.selectFrom('blobs').select('id').where('id', '=', id)),
  keepBlob: preparedQuery(({ id, bytes }: { readonly id: string; readonly bytes: Buffer }) =>
    build
      .insertInto('blobs')
      .values({ id, bytes })
      .onConflict((conflict) => conflict.doNothing()),
  ),
}

export class SqliteFiles implements FileTable {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  async get(digest: string): Promise<readonly PackageFileRow[] | undefined> {
    const text = await this.#listing(digest)
    if (text === undefined) return undefined
    const listing = parseListing(text, digest)
    const ids = listing?.map(([, id]) => id) ?? []
    const bytes = await this.#wholeBytes(ids)
    const damaged = ids.filter((id) => !bytes.has(id))
    if (listing !== undefined && damaged.length === 0)
      return listing.map(([path, id]) => ({ path, id, bytes: bytes.get(id)! }))
    await this.#remove(digest, damaged)
    return undefined
  }

  async ids(digest: string): Promise<ReadonlyMap<string, string>> {
    const text = await this.#listing(digest)
    return new Map(text === undefined ? [] : parseListing(text, digest))
  }

  async keep(digest: string, files: readonly PackageFileRow[]): Promise<void> {
    await saveBlobs(this.#file, digest, files)
    return this.#file.write(() => saveFiles(this.#file, digest, files))
  }

  prune({ runsKept, revisionsKept }: { readonly runsKept: number; readonly revisionsKept: number }): Promise<void> {
    return this.#file.write(() => {
      this.#file.run(
        sql`
        delete from runs where event is null and outcome is not null and id in (
          select id from (
            select id, row_number() over (
              partition by stack, json_extract(cause, '$.kind') = 'drift' order by id desc) as place
            from runs where event is null and outcome is not null
          ) where place > ${runsKept})
          and cast(id as text) not in (select json_extract(applied, '$.run') from stacks where applied is not null)`,
      )
      this.#file.run(
        sql`
        delete from packages where digest not in (
          select files from (
            select files, row_number() over (partition by stack order by id desc) as place from runs
            where files is not null and outcome = 'applied'
          ) where place <= ${revisionsKept}
          union select files from runs where files is not null and (outcome is null or outcome = 'needs-approval')
          union select digest from pushes
          union select json_extract(applied, '$.files') from stacks where applied is not null
          union select r.files from stacks s join runs r on r.id = cast(json_extract(s.pinned, '$.run') as integer)
            where s.pinned is not null and r.files is not null)`,
      )
      this.#file.run(
        sql`
        delete from blobs where id not in (
          select json_extract(one.value, '$[1]') from packages, json_each(packages.files) as one)`,
      )
      this.#file.run(sql`delete from run_settings where digest not in (
          select settings from runs where settings is not null)`)
      this.#file.run(sql`delete from plans where digest not in (select plan from runs where plan is not null)`)
      this.#file.run(sql`delete from event_resources where digest not in (
          select event_resources from runs where event_resources is not null)`)
    })
  }

  async #listing(digest: string): Promise<string | undefined> {
    return (await this.#file.read(() => this.#file.get(queries.listing({ digest }))))?.files
  }

  #remove(digest: string, blobs: readonly string[]): Promise<void> {
    return this.#file.write(() => {
      this.#file.run(this.#file.build.deleteFrom('packages').where('digest', '=', digest))
      for (const some of chunks(blobs)) this.#file.run(this.#file.build.deleteFrom('blobs').where('id', 'in', some))
    })
  }

  /** Contents that match their ids, read and checked page by page. */
  async #wholeBytes(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const whole = new Map<string, Uint8Array>()
    for (const some of chunks(ids)) {
      const query = this.#file.build.selectFrom('blobs').selectAll().where('id', 'in', some).orderBy('id')
      for (let after = ''; ;) {
        const { rows, isLast } = await this.#file.page(query.where('id', '>', after))
        for (const { id, bytes } of rows) if (isBlobOf(id, bytes)) whole.set(id, bytes)
        if (isLast) break
        after = rows.at(-1)!.id
      }
    }
    return whole
  }
}

/** Paths and ids of files; undefined: the text does not match the digest. */
export function parseListing(text: string, digest: string): readonly (readonly [string, string])[] | undefined {
  try {
    const listing = JSON.parse(text) as readonly (readonly [string, string])[]
    return jsonDigest(listing) === digest ? listing : undefined
  } catch {
    return undefined
  }
}
