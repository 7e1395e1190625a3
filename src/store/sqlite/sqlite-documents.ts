import type { JsonObject } from '../../model/json.js'
import type { Documents, StoredDocument, Written } from '../../platform/embedded/documents.js'
import type { SqliteFile } from './sqlite-file.js'

const page = 500

/** The embedded platform's things, in the same file but never in a transaction with anything else. */
export class SqliteDocuments implements Documents {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  byIds(space: string, family: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    return this.#by('id', space, family, ids)
  }

  byKeys(space: string, family: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    return this.#by('key', space, family, keys)
  }

  insert(space: string, family: string, document: StoredDocument): Promise<Written> {
    return this.#file.write(() => {
      const taken = this.#holder(space, family, document, true)
      if (taken !== undefined) return { taken }
      for (const link of document.links) if (!this.#exists(space, link)) return { missing: link }
      const { id, key, held, links } = document
      this.#file.run(this.#file.build.insertInto('documents').values({ space, family, id, key, held: JSON.stringify(held) }))
      for (const link of links) this.#file.run(this.#file.build.insertInto('links').values({ space, family, id, target_id: link }))
      return 'made'
    })
  }

  replace(space: string, family: string, document: StoredDocument): Promise<Written> {
    return this.#file.write(() => {
      const taken = this.#holder(space, family, document, false)
      if (taken !== undefined) return { taken }
      const { id, key, held } = document
      const query = this.#file.build.updateTable('documents').set({ key, held: JSON.stringify(held) })
      const { changes } = this.#file.run(query.where('space', '=', space).where('family', '=', family).where('id', '=', id))
      return changes === 0 ? { missing: id } : 'made'
    })
  }

  remove(space: string, family: string, id: string): Promise<void> {
    return this.#file.write(() => this.#removeWithLinks(space, family, id))
  }

  list(
    space: string,
    { limit, after }: { readonly limit: number; readonly after?: { readonly family: string; readonly id: string } },
  ): Promise<readonly (StoredDocument & { readonly family: string })[]> {
    const { family = '', id = '' } = after ?? {}
    const query = this.#file.build
      .selectFrom('documents')
      .selectAll()
      .where('space', '=', space)
      .where((where) => where.or([where('family', '>', family), where.and([where('family', '=', family), where('id', '>', id)])]))
      .orderBy('family')
      .orderBy('id')
      .limit(limit)
    return this.#file.read(() => this.#file.all(query).map((row) => ({ ...documentOf(row), family: row.family })))
  }

  async #by(column: 'id' | 'key', space: string, family: string, values: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    const found = new Map<string, StoredDocument>()
    for (let i = 0; i < values.length; i += page) {
      const query = this.#file.build
        .selectFrom('documents')
        .selectAll()
        .where('space', '=', space)
        .where('family', '=', family)
        .where(column, 'in', values.slice(i, i + page))
      for (const row of await this.#file.read(() => this.#file.all(query))) found.set(row[column]!, documentOf(row))
    }
    return found
  }

  /** Who has the key, or (where this one is new) the id. Two queries: of an `or` SQLite makes a walk through the whole family. */
  #holder(space: string, family: string, { id, key }: StoredDocument, isNew: boolean): string | undefined {
    const query = this.#file.build.selectFrom('documents').select('id').where('space', '=', space).where('family', '=', family)
    const same = isNew ? this.#file.get(query.where('id', '=', id)) : undefined
    const named = same === undefined && key !== null ? this.#file.get(query.where('key', '=', key)) : undefined
    return same?.id ?? (isNew || named?.id !== id ? named?.id : undefined)
  }

  #exists(space: string, id: string): boolean {
    return (
      this.#file.get(this.#file.build.selectFrom('documents').select('id').where('space', '=', space).where('id', '=', id).limit(1)) !==
      undefined
    )
  }

  #removeWithLinks(space: string, family: string, id: string): void {
    const { changes } = this.#file.run(
      this.#file.build.deleteFrom('documents').where('space', '=', space).where('family', '=', family).where('id', '=', id),
    )
    if (changes === 0) return
    this.#file.run(this.#file.build.deleteFrom('links').where('space', '=', space).where('family', '=', family).where('id', '=', id))
    const hanging = this.#file.build.selectFrom('links').select(['family', 'id']).where('space', '=', space).where('target_id', '=', id)
    for (const one of this.#file.all(hanging)) this.#removeWithLinks(space, one.family, one.id)
  }
}

function documentOf(row: { id: string; key: string | null; held: string }): StoredDocument {
  return { id: row.id, key: row.key, held: JSON.parse(row.held) as JsonObject, links: [] }
}
