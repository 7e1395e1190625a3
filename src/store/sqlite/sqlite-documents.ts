import { chunks } from '../../lib/chunks.js'
import type { Clock } from '../../lib/clock.js'
import { compareUtf8 } from '../../lib/text/compare-text.js'
import { Slices } from '../../lib/async/steps.js'
import type { JsonObject } from '../../model/json.js'
import type { DatedDocument, Documents, StoredDocument, WriteResult } from '../../platform/documents.js'
import type { DocumentCache } from './document-cache.js'
import { listed, preparedQuery } from './file/prepared-query.js'
import type { SqliteFile } from './file/sqlite-file.js'
import { parsedBytes } from './tables/rows.js'

/** The columns of a document. */
const columns = ['id', 'key', 'state', 'created_at', 'updated_at'] as const

/** The resources of the embedded platform: in the same file, but never in a transaction with other tables. */
export class SqliteDocuments implements Documents {
  readonly #file: SqliteFile
  readonly #cache: DocumentCache
  readonly #clock: Clock
  readonly #queries: ReturnType<typeof queriesOn>

  constructor(file: SqliteFile, cache: DocumentCache, clock: Clock) {
    this.#file = file
    this.#cache = cache
    this.#clock = clock
    this.#queries = queriesOn(file)
  }

  async byIds(space: string, family: string, ids: readonly string[]): Promise<ReadonlyMap<string, DatedDocument>> {
    const known = this.#cache.of(space, family)
    const found = new Map<string, DatedDocument>()
    const unknown: string[] = []
    for (const id of ids) {
      const document = known(id)
      if (document === undefined) unknown.push(id)
      else found.set(id, document)
    }
    await this.#readBy('id', { space, family, values: unknown }, found)
    return found
  }

  async byKeys(space: string, family: string, keys: readonly string[]): Promise<ReadonlyMap<string, DatedDocument>> {
    const found = new Map<string, DatedDocument>()
    await this.#readBy('key', { space, family, values: keys }, found)
    return found
  }

  insert(space: string, family: string, document: StoredDocument): Promise<WriteResult> {
    return this.#file.write(() => {
      const taken = this.#holder(space, family, document, true)
      if (taken !== undefined) return { taken }
      for (const link of document.links) if (!this.#exists(space, link)) return { missing: link }
      const { id, key, state, links } = document
      const at = this.#clock.now()
      this.#file.run(this.#queries.document({ space, family, id, key, state: JSON.stringify(state), at }))
      for (const link of links) this.#file.run(this.#queries.link({ space, family, id, link }))
      return { createdAt: at, updatedAt: at }
    })
  }

  replace(space: string, family: string, document: StoredDocument): Promise<WriteResult> {
    return this.#file.write(() => {
      const taken = this.#holder(space, family, document, false)
      if (taken !== undefined) return { taken }
      const { id, key, state } = document
      const before = this.#file.get(this.#queries.madeAt({ space, family, id }))
      if (before === undefined) return { missing: id }
      const at = this.#clock.now()
      this.#file.run(this.#queries.replace({ space, family, id, key, state: JSON.stringify(state), at }))
      return { createdAt: before.created_at, updatedAt: at }
    })
  }

  remove(space: string, family: string, id: string): Promise<void> {
    return this.#file.write(() => this.#removeWithLinks(space, family, id))
  }

  async list(
    space: string,
    { limit, after }: { readonly limit: number; readonly after?: { readonly family: string; readonly id: string } },
  ): Promise<readonly (DatedDocument & { readonly family: string })[]> {
    const all: (DatedDocument & { readonly family: string })[] = []
    for (let { family, id } = after ?? { family: '', id: '' }; ;) {
      const query = this.#file.build
        .selectFrom('documents')
        .select(['family', ...columns])
        .where('space', '=', space)
        .where((where) => where(where.refTuple('family', 'id'), '>', where.tuple(family, id)))
        .orderBy('family')
        .orderBy('id')
      const { rows, isLast } = await this.#file.page(query.limit(limit - all.length))
      for (const row of rows) all.push({ ...toDocument(row), family: row.family })
      if (isLast || all.length === limit) return all
      ;({ family, id } = rows.at(-1)!)
    }
  }

  async #readBy(
    column: 'id' | 'key',
    { space, family, values }: { readonly space: string; readonly family: string; readonly values: readonly string[] },
    found: Map<string, DatedDocument>,
  ): Promise<void> {
    const slices = new Slices()
    for (const some of chunks(values)) {
      // SQLite reads whole rows to search for a value, so it gets no value that it searched for already.
      for (let rest = some; rest.length > 0;) {
        const query = this.#queries[column === 'id' ? 'byIds' : 'byKeys']
        const { writes } = this.#cache
        const { rows, isLast } = await this.#file.page(query({ space, family, values: JSON.stringify(rest) }))
        for (const row of rows) {
          const pause = slices.afterStep()
          if (pause !== undefined) await pause
          const document = toDocument(row)
          found.set(row[column]!, document)
          this.#cache.keep({ space, family, bytes: parsedBytes(row.state), writes }, document)
        }
        const last = rows.at(-1)?.[column]
        rest = isLast || last == null ? [] : rest.filter((value) => compareUtf8(value, last) > 0)
      }
    }
  }

  /** The document that has the key or, for a new one, the id. Two queries: with `or`, SQLite would scan the family. */
  #holder(space: string, family: string, { id, key }: StoredDocument, isNew: boolean): string | undefined {
    const same = isNew ? this.#file.get(this.#queries.ofId({ space, family, id })) : undefined
    const named =
      same === undefined && key !== null ? this.#file.get(this.#queries.ofKey({ space, family, key })) : undefined
    return same?.id ?? (isNew || named?.id !== id ? named?.id : undefined)
  }

  #exists(space: string, id: string): boolean {
    return this.#file.get(this.#queries.anyOfId({ space, id })) !== undefined
  }

  #removeWithLinks(space: string, family: string, id: string): void {
    const { changes } = this.#file.run(
      this.#file.build
        .deleteFrom('documents')
        .where('space', '=', space)
        .where('family', '=', family)
        .where('id', '=', id),
    )
    if (changes === 0) return
    this.#file.run(
      this.#file.build.deleteFrom('links').where('space', '=', space).where('family', '=', family).where('id', '=', id),
    )
    const hanging = this.#file.build
      .selectFrom('links')
      .select(['family', 'id'])
      .where('space', '=', space)
      .where('target_id', '=', id)
    for (const one of this.#file.all(hanging)) this.#removeWithLinks(space, one.family, one.id)
  }
}

interface Place {
  readonly space: string
  readonly family: string
  readonly id: string
}

interface NewRow extends Place {
  readonly key: string | null
  readonly state: string
  readonly at: number
}

/** The queries for each document that is created or changed. */
function queriesOn({ build }: SqliteFile) {
  const ids = build.selectFrom('documents').select('id')
  const by =
    (column: 'id' | 'key') =>
    ({ space, family, values }: Omit<Place, 'id'> & { readonly values: string }) => {
      const documents = build.selectFrom('documents').select(columns)
      const ofFamily = documents.where('space', '=', space).where('family', '=', family)
      return ofFamily.where(column, 'in', listed<string>(values)).orderBy(column)
    }
  return {
    byIds: preparedQuery(by('id')),
    byKeys: preparedQuery(by('key')),
    replace: preparedQuery(({ space, family, id, key, state, at }: NewRow) => {
      const replaced = build.updateTable('documents').set({ key, state, updated_at: at })
      return replaced.where('space', '=', space).where('family', '=', family).where('id', '=', id)
    }),
    document: preparedQuery(({ space, family, id, key, state, at }: NewRow) =>
      build.insertInto('documents').values({ space, family, id, key, state, created_at: at, updated_at: at }),
    ),
    madeAt: preparedQuery(({ space, family, id }: Place) => {
      const times = build.selectFrom('documents').select('created_at')
      return times.where('space', '=', space).where('family', '=', family).where('id', '=', id)
    }),
    link: preparedQuery(({ space, family, id, link }: Place & { readonly link: string }) =>
      build.insertInto('links').values({ space, family, id, target_id: link }),
    ),
    ofId: preparedQuery(({ space, family, id }: Place) =>
      ids.where('space', '=', space).where('family', '=', family).where('id', '=', id),
    ),
    ofKey: preparedQuery(({ space, family, key }: Omit<Place, 'id'> & { readonly key: string }) =>
      ids.where('space', '=', space).where('family', '=', family).where('key', '=', key),
    ),
    anyOfId: preparedQuery(({ space, id }: Omit<Place, 'family'>) =>
      ids.where('space', '=', space).where('id', '=', id).limit(1),
    ),
  }
}

interface Row {
  readonly id: string
  readonly key: string | null
  readonly state: string
  readonly created_at: number | null
  readonly updated_at: number | null
}

function toDocument({ id, key, state, created_at, updated_at }: Row): DatedDocument {
  return { id, key, state: JSON.parse(state) as JsonObject, links: [], createdAt: created_at, updatedAt: updated_at }
}
