import type { Clock } from '../../../lib/clock.js'
import { hashDigits } from '../../../model/revision.js'
import type { SourceFile } from '../../../source/source.js'
import type { Push, PushTable } from '../../store.js'
import { jsonText } from '../tables/rows.js'
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

  async put(stack: string, { digest, files, by, sources }: Push): Promise<void> {
    await saveBlobs(this.#file, digest, files)
    return this.#file.write(() => {
      saveFiles(this.#file, digest, files)
      const push = { digest, pushed_by: by, pushed_at: this.#clock.now(), sources: jsonText(sources) }
      this.#file.run(
        this.#file.build
          .insertInto('pushes')
          .values({ stack, ...push })
          .onConflict((conflict) => conflict.column('stack').doUpdateSet(push)),
      )
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
