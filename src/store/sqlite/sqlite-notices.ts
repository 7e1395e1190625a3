import type { Notice, NoticeTable } from '../store.js'
import type { SqliteFile } from './sqlite-file.js'

export class SqliteNotices implements NoticeTable {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  list(limit: number): Promise<readonly Notice[]> {
    const query = this.#file.build
      .selectFrom('notices')
      .select(['at', 'code', 'message'])
      .orderBy('id', 'desc')
      .limit(limit)
    return this.#file.read(() => this.#file.all(query))
  }
}
