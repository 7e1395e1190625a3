// The builder of all queries. Modules compile with it the queries of each run, once for all files.
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
  type LimitNode,
} from 'kysely'
import type { Tables } from '../tables/tables.js'

/**
 * Writes a limit into the query. SQLite plans a query whose limit is a parameter for that limit, and so plans it again
 * at each run, which takes longer than to run it.
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    const value: unknown = ValueNode.is(limit) ? limit.value : undefined
    this.append('limit ')
    if (Number.isSafeInteger(value)) this.append(String(value))
    else this.visitNode(limit)
  }
}

export const build: Kysely<Tables> = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  },
})
