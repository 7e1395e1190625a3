// Packages that people wrote, and what InfluxDB makes of them. They lie beside the project; a user's checkout has none.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attackScale, attackSeed } from './attack/scale.js'
import { seeded } from './package/seeded.js'

const corpus = join(import.meta.dirname, '../../shared/corpus')

export const hasCorpus = existsSync(join(corpus, 'summaries.jsonl'))
if (!hasCorpus) console.log('The corpus was not found beside the project: its tests are skipped.')

/** One line of the table: its cells by column. */
export type CorpusRow = Readonly<Record<string, string>> & { readonly path: string; readonly format: string }

/** Of one of these formats; none: of all. */
export function corpusRows(...formats: readonly string[]): readonly CorpusRow[] {
  if (!hasCorpus) return []
  const [head, ...lines] = readFileSync(join(corpus, 'expect.tsv'), 'utf8').trimEnd().split('\n')
  const names = head!.split('\t')
  const rows = lines.map(
    (line) => Object.fromEntries(line.split('\t').map((cell, at) => [names[at]!, cell])) as CorpusRow,
  )
  return rows.filter(({ format }) => formats.length === 0 || formats.includes(format))
}

/** As `test.each` takes them: title, then row. */
export function corpusCases(...formats: readonly string[]): [string, CorpusRow][] {
  return corpusRows(...formats).map((row) => [row.path, row])
}

/** Columns of the table that count what a package declares. */
export const corpusFamilies = [
  'buckets',
  'checks',
  'dashboards',
  'labels',
  'labelMappings',
  'notificationEndpoints',
  'notificationRules',
  'tasks',
  'telegrafConfigs',
  'variables',
] as const

const leastShare = 0.25

/**
 * The packages of these formats to try at this scale (`attack/scale.ts`), chosen by its seed: at least a quarter, with
 * every family among them. As `test.each` takes them.
 */
export function corpusSample(...formats: readonly string[]): [string, CorpusRow][] {
  const rows = corpusRows(...formats)
  const random = seeded(attackSeed())
  const shuffled = rows.map((row) => ({ row, at: random(2 ** 31) })).toSorted((a, b) => a.at - b.at)
  const order = shuffled.map(({ row }) => row)
  const share = Math.ceil(rows.length * Math.min(1, Math.max(leastShare, attackScale())))
  const ofEachFamily = corpusFamilies.flatMap((family) => order.filter((row) => declares(row, family)).slice(0, 1))
  const chosen = new Set([...order.slice(0, share), ...ofEachFamily])
  return rows.filter((row) => chosen.has(row)).map((row) => [row.path, row])
}

export function declares(row: CorpusRow, family: (typeof corpusFamilies)[number]): boolean {
  return row[family] !== '0'
}

export function corpusText({ path }: Pick<CorpusRow, 'path'>): string {
  return readFileSync(join(corpus, path), 'utf8')
}

export type CorpusSummary = Readonly<Record<string, readonly any[]>>

/** InfluxDB's summaries, by path. */
export function corpusSummaries(): ReadonlyMap<string, CorpusSummary> {
  if (!hasCorpus) return new Map()
  const lines = readFileSync(join(corpus, 'summaries.jsonl'), 'utf8').trimEnd().split('\n')
  return new Map(
    lines
      .map((line) => JSON.parse(line) as { path: string; summary: CorpusSummary })
      .map(({ path, summary }) => [path, summary]),
  )
}
