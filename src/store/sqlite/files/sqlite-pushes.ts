import { sql } from 'kysely'
import type { Clock } from '../../../lib/clock.js'
import { hashDigits } from '../../../model/sources/revision.js'
import { uninstalled } from '../../../model/stacks/stack.js'
import type { SourceFile } from '../../../source/source.js'
import type { Push, PushTable } from '../../push-table.js'
import type { StackCheck } from '../../stack-table.js'
import { jsonText } from '../tables/rows.js'
import { checkStack } from '../stacks/stack-rows.js'
import { saveBlobs, saveFiles, type SqliteFiles } from './sqlite-files.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** The newest push of each stack. Its files are stored with those of revisions, each content once. */
export class SqlitePushes implements PushTable {
  readonly #file: SqliteFile
  readonly #files: SqliteFiles
  readonly #clock: Clock

  constructor(file: SqliteFile, files: SqliteFiles, clock: Clock) {
    this.#file = file
    this.#files = files
    this.#clock = clock
  }

  async put(stack: string, { digest, files, by, sources }: Push, check?: StackCheck): Promise<void> {
    await saveBlobs(this.#file, digest, files)
    return this.#file.write(() => {
      checkStack(this.#file, stack, check)
      saveFiles(this.#file, digest, files)
      const push = { digest, pushed_by: by, pushed_at: this.#clock.now(), sources: jsonText(sources) }
      this.#file.run(
        this.#file.build
          .insertInto('pushes')
          .values({ stack, ...push })
          .onConflict((conflict) => conflict.column('stack').doUpdateSet(push)),
      )
      const suspended = this.#file.build.updateTable('stacks').set({ suspended: null }).where('id', '=', stack)
      this.#file.run(suspended.where(sql<boolean>`json_extract(suspended, '$.reason') = ${uninstalled}`))
    })
  }

  async newest(stack: string): Promise<{ readonly state: string; readonly by: string } | undefined> {
    const query = this.#file.build
      .selectFrom('pushes')
      .innerJoin('stacks', 'stacks.id', 'pushes.stack')
      .select(['pushes.digest', 'pushes.pushed_by'])
      .where('stacks.name', '=', stack)
    const row = await this.#file.read(() => this.#file.get(query))
    return row && { state: `sha256:${row.digest}`, by: row.pushed_by }
  }

  files(_stack: string, state: string): Promise<readonly SourceFile[] | undefined> {
    return this.#files.get(hashDigits(state))
  }
}
