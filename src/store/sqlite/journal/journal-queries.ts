// The queries that each step makes, compiled once.
import { sql } from 'kysely'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { JournalRow } from '../tables/rows.js'

/** null: it stays. `isNamed`: the identity is set. */
interface Mark {
  readonly stack: string
  readonly entry: number
  readonly state: string | null
  readonly trace: string | null
  readonly isNamed: number
  readonly identity: string | null
}

/** The queries of each step. */
export const journalQueries = {
  begin: preparedQuery(({ stack, run, change, state, before, trace, identity, owned_before }: Omit<JournalRow, 'id'>) =>
    build.insertInto('journal').values({ stack, run, change, state, before, trace, identity, owned_before }),
  ),
  entry: preparedQuery(({ id }: { readonly id: number }) =>
    build.selectFrom('journal').selectAll().where('id', '=', id),
  ),
  entries: preparedQuery(({ stack, after }: { readonly stack: string; readonly after: number }) =>
    build.selectFrom('journal').selectAll().where('stack', '=', stack).where('id', '>', after).orderBy('id'),
  ),
  first: preparedQuery(({ stack }: { readonly stack: string }) =>
    build.selectFrom('journal').select('id').where('stack', '=', stack).limit(1),
  ),
  mark: preparedQuery(({ stack, entry, state, trace, isNamed, identity }: Mark) => {
    const set = {
      state: sql<JournalRow['state']>`coalesce(${state}, state)`,
      trace: sql<string | null>`coalesce(${trace}, trace)`,
      identity: sql<string | null>`iif(${isNamed}, ${identity}, identity)`,
    }
    return build.updateTable('journal').set(set).where('id', '=', entry).where('stack', '=', stack)
  }),
  empty: preparedQuery(({ stack }: { readonly stack: string }) =>
    build.deleteFrom('journal').where('stack', '=', stack),
  ),
}
