import type { Clock } from '../../src/lib/clock.js'
import { DocumentCache } from '../../src/store/sqlite/document-cache.js'
import { SqliteFile } from '../../src/store/sqlite/file/sqlite-file.js'
import { SqliteDocuments } from '../../src/store/sqlite/sqlite-documents.js'

/** The documents of an embedded platform whose database is not that of the agent. */
export function openDocuments(
  path: string,
  clock: Clock,
): { readonly documents: SqliteDocuments; readonly close: () => void } {
  let cache!: DocumentCache
  const file = new SqliteFile(path, {
    keepDerived: (database) => {
      cache = new DocumentCache(database)
      return () => {}
    },
  })
  return { documents: new SqliteDocuments(file, cache, clock), close: () => file.close() }
}
