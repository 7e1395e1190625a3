import { sessionLimits, type Session } from '../../model/agent/session.js'
import type { SessionTable } from '../session-table.js'
import type { SqliteFile } from './file/sqlite-file.js'
import type { Tables } from './tables/tables.js'

export class SqliteSessions implements SessionTable {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  add(session: Session): Promise<void> {
    const { digest, token, name, createdAt, usedAt } = session
    const row = { digest, token, name, created_at: createdAt, used_at: usedAt }
    return this.#file.write(() => {
      this.#file.run(this.#file.build.insertInto('sessions').values(row))
      this.#prune(token, usedAt)
    })
  }

  get(digest: string): Promise<Session | undefined> {
    const query = this.#file.build.selectFrom('sessions').selectAll().where('digest', '=', digest)
    return this.#file.read(() => {
      const row = this.#file.get(query)
      return row && toSession(row)
    })
  }

  list(token: string): Promise<readonly Session[]> {
    const query = this.#file.build
      .selectFrom('sessions')
      .selectAll()
      .where('token', '=', token)
      .orderBy('used_at', 'desc')
      .orderBy('digest')
    return this.#file.read(() => this.#file.all(query).map(toSession))
  }

  use(digest: string, at: number): Promise<void> {
    const query = this.#file.build.updateTable('sessions').set({ used_at: at }).where('digest', '=', digest)
    return this.#file.write(() => void this.#file.run(query))
  }

  remove(digest: string): Promise<boolean> {
    const query = this.#file.build.deleteFrom('sessions').where('digest', '=', digest)
    return this.#file.write(() => this.#file.run(query).changes > 0)
  }

  #prune(token: string, now: number): void {
    const { idleMs, longestMs, most } = sessionLimits
    const all = this.#file.build.deleteFrom('sessions')
    this.#file.run(all.where('token', '!=', token))
    this.#file.run(all.where('used_at', '<=', now - idleMs))
    this.#file.run(all.where('created_at', '<=', now - longestMs))
    const idle = this.#file.build
      .selectFrom('sessions')
      .select('digest')
      .orderBy('used_at', 'desc')
      .orderBy('created_at', 'desc')
      .limit(1_000)
      .offset(most)
    this.#file.run(all.where('digest', 'in', idle))
  }
}

function toSession({ digest, token, name, created_at, used_at }: Tables['sessions']): Session {
  return { digest, token, name, createdAt: created_at, usedAt: used_at }
}
