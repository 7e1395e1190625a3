// The settings that runs read, each text once.
import { hash } from 'node:crypto'
import { memoizeByObject } from '../../../lib/memoize.js'
import type { StackSpec } from '../../../model/stacks/stack.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'

interface SettingsRow {
  readonly digest: string
  readonly spec: string
}

const rowOf = memoizeByObject((spec: StackSpec): SettingsRow => {
  const text = JSON.stringify(spec)
  return { digest: settingsTextDigest(text), spec: text }
})

const queries = {
  keep: preparedQuery(({ digest, spec }: SettingsRow) =>
    build
      .insertInto('run_settings')
      .values({ digest, spec })
      .onConflict((conflict) => conflict.doNothing()),
  ),
  ofRun: preparedQuery(({ id }: { readonly id: number }) =>
    build
      .selectFrom('runs')
      .innerJoin('run_settings', 'run_settings.digest', 'runs.settings')
      .select('run_settings.spec')
      .where('runs.id', '=', id),
  ),
}

export function settingsTextDigest(text: string): string {
  return hash('sha256', text)
}

/** Inside a transaction: stores settings, unless they are stored. Returns their digest. */
export function saveSettings(file: SqliteFile, spec: StackSpec): string {
  const row = rowOf(spec)
  file.run(queries.keep(row))
  return row.digest
}

/** Inside a read: the settings that the run read; undefined: it read none, or an older version ran it. */
export function readSettings(file: SqliteFile, id: string): StackSpec | undefined {
  const row = file.get(queries.ofRun({ id: Number(id) }))
  return row === undefined ? undefined : (JSON.parse(row.spec) as StackSpec)
}
