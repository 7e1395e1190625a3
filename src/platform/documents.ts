import type { JsonObject } from '../model/json.js'

export interface StoredDocument {
  /** 16 hex digits, or the natural identity of the family. */
  readonly id: string
  readonly key: string | null
  readonly state: JsonObject
  /** Ids of documents that this one depends on. Removing one of them also removes this one. */
  readonly links: readonly string[]
}

/** Milliseconds since the epoch; null: written by a version that did not store them. */
export interface Times {
  readonly createdAt: number | null
  readonly updatedAt: number | null
}

/**
 * What a platform inside the agent stores. A space is one live system; ids are unique in a space over all families.
 * Each verb is one transaction.
 */
export interface Documents {
  byIds(space: string, family: string, ids: readonly string[]): Promise<ReadonlyMap<string, DatedDocument>>
  byKeys(space: string, family: string, keys: readonly string[]): Promise<ReadonlyMap<string, DatedDocument>>
  /** Its times; or the id of the document that has the id or key already; or the first link that does not exist. */
  insert(space: string, family: string, document: StoredDocument): Promise<WriteResult>
  /** Its times; or the id of another document with that key; or `missing` if it does not exist. */
  replace(space: string, family: string, document: StoredDocument): Promise<WriteResult>
  remove(space: string, family: string, id: string): Promise<void>
  /** At most `limit` documents after the given one, by family, then id. */
  list(
    space: string,
    options: { readonly limit: number; readonly after?: { readonly family: string; readonly id: string } },
  ): Promise<readonly (DatedDocument & { readonly family: string })[]>
}

export type DatedDocument = StoredDocument & Times

export type WriteResult = Times | { readonly taken: string } | { readonly missing: string }
