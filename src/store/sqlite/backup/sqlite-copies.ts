import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../lib/clock.js'
import type { Backup, BackupSecrets, Copies, KeptCopies } from '../../copies.js'
import { writeLabel } from './backup-label.js'
import { listCopies, directoryWithRoom, copyPath, pruneCopies, publishCopy } from './copy-files.js'
import { removeDatabase } from '../file/database-file.js'
import { checkCopy } from '../repair/integrity-check.js'
import type { SqliteFile } from '../file/sqlite-file.js'
import { migrations } from '../tables/migrations.js'

export class SqliteCopies implements Copies {
  readonly #database: SqliteFile
  readonly #file: string
  readonly #clock: Clock

  constructor(database: SqliteFile, file: string, clock: Clock) {
    this.#database = database
    this.#file = file
    this.#clock = clock
  }

  newest(): Promise<number | undefined> {
    return Promise.resolve(listCopies(this.#file)[0]?.at)
  }

  async make(keep: KeptCopies, signal: AbortSignal): Promise<string> {
    const path = copyPath(this.#file, migrations.length, this.#clock.now())
    const draft = `${path}.part`
    try {
      await this.#database.copyTo(draft, signal)
      await checkCopy(draft)
      publishCopy(draft, path)
    } finally {
      removeDatabase(draft)
    }
    pruneCopies(this.#file, keep)
    return path
  }

  async backup(
    options: { readonly version: string; readonly secrets?: BackupSecrets },
    signal: AbortSignal,
  ): Promise<Backup> {
    const path = join(directoryWithRoom(this.#file), `backup-${randomBytes(6).toString('hex')}.part`)
    try {
      await this.#database.copyTo(path, signal)
      chmodSync(path, 0o600)
      writeLabel(path, { ...options, madeAt: this.#clock.now() })
      await checkCopy(path)
      const { size } = await stat(path)
      return {
        path,
        bytes: size,
        sha256: await sha256Of(path),
        [Symbol.asyncDispose]: () => Promise.resolve(removeDatabase(path)),
      }
    } catch (error) {
      removeDatabase(path)
      throw error
    }
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}
