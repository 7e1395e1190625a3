import type { JsonObject } from '../../model/json.js'

export interface StoredDocument {
  /** 16 hex digits, or what the family's nature gives. */
  readonly id: string
  readonly key: string | null
  readonly state: JsonObject
  /** Ids of documents without which this one cannot be. Removing one of them removes it, too. */
  readonly links: readonly string[]
}

/** Milliseconds since the epoch; null: written by a version that did not record them. */
export interface Times {
  readonly createdAt: number | null
  readonly updatedAt: number | null
}

/**
 * Where the embedded platform keeps what it holds. A space is an organisation; ids are unique in a space over all
 * families. Each verb is one transaction of its own.
 */
export interface Documents {
  byIds(space: string, family: string, ids: readonly string[]): Promise<ReadonlyMap<string, DatedDocument>>
  byKeys(space: string, family: string, keys: readonly string[]): Promise<ReadonlyMap<string, DatedDocument>>
  /** Its times; or the id of what has that id or key already; or the first link that leads nowhere. */
  insert(space: string, family: string, document: StoredDocument): Promise<WriteResult>
  /** Its times; or the id of another that has that key; `missing` where it is gone. */
  replace(space: string, family: string, document: StoredDocument): Promise<WriteResult>
  remove(space: string, family: string, id: string): Promise<void>
  /** At most `limit`, by family, then id, after the given one. */
  list(
    space: string,
    options: { readonly limit: number; readonly after?: { readonly family: string; readonly id: string } },
  ): Promise<readonly (DatedDocument & { readonly family: string })[]>
}

export type DatedDocument = StoredDocument & Times

export type WriteResult = Times | { readonly taken: string } | { readonly missing: string }
