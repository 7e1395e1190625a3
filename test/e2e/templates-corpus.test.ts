// Every package of the corpus over the reference's API: counts, references and whole summaries of a dry run; apply, apply again.
// The corpus lies beside the project; a user's checkout has none.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { templates } from './wire-door.js'
import { useWorld } from './world.js'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isHere = existsSync(join(corpus, 'summaries.jsonl'))
if (!isHere) console.log('The corpus was not found beside the project: its packages are not applied.')

type Row = Readonly<Record<string, string>>
type Summary = Readonly<Record<string, readonly any[]>>

const rows = isHere ? readRows().filter(({ format }) => format !== 'jsonnet') : []
const summaries = isHere ? readSummaries() : new Map<string, Summary>()

function readRows(): readonly Row[] {
  const [head, ...lines] = readFileSync(join(corpus, 'expect.tsv'), 'utf8').trimEnd().split('\n')
  const names = head!.split('\t')
  return lines.map((line) => Object.fromEntries(line.split('\t').map((cell, at) => [names[at]!, cell])))
}

function readSummaries(): ReadonlyMap<string, Summary> {
  const lines = readFileSync(join(corpus, 'summaries.jsonl'), 'utf8').trimEnd().split('\n')
  return new Map(lines.map((line) => JSON.parse(line) as { path: string; summary: Summary }).map(({ path, summary }) => [path, summary]))
}

const counted = ['buckets', 'checks', 'dashboards', 'labels', 'labelMappings', 'notificationEndpoints', 'notificationRules']
const collections = [...counted, 'tasks', 'telegrafConfigs', 'variables']

/** The cells of expect.tsv that a summary gives. */
function cellsOf(summary: Summary): Row {
  const counts = Object.fromEntries(collections.map((name) => [name, String(summary[name]!.length)]))
  const listed = (texts: readonly string[]): string => [...new Set(texts)].sort().join(',')
  const references = collections.flatMap((name) => summary[name]!.flatMap(({ envReferences = [] }) => envReferences as any[]))
  return {
    ...counts,
    charts: String(summary['dashboards']!.flatMap(({ charts }) => charts as any[]).length),
    envRefs: listed(references.map(({ envRefKey }) => envRefKey as string)),
    missingEnvRefs: summary['missingEnvRefs']!.join(','),
    missingSecrets: summary['missingSecrets']!.join(','),
  }
}

/** Without what the corpus leaves out: ids, zero values, the query builder, bounds of axes (D7), defaults of durations (D12), and what only we have (D24). */
function bare(value: any): any {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((one) => bare(one) ?? {})
  if (typeof value !== 'object' || value === null)
    return value === '' || value === 0 || value === false || value === null ? undefined : value
  const left = ['id', 'orgID', 'builderConfig', 'bounds', 'resourceID', 'labelID', 'endpointID', 'selected', 'summaryTask']
  const isDuration = value.valueType === 'duration'
  const kept = Object.entries(value).flatMap(([key, one]) => {
    const inner = left.includes(key) || (isDuration && key === 'defaultValue') ? undefined : bare(one)
    return inner === undefined ? [] : [[key, inner] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const world = useWorld()

describe.skipIf(!isHere)('the corpus over the API', () => {
  test.each(rows.map((row) => [row['path']!, row] as const))('%s', async (path, row) => {
    const contents = readFileSync(join(corpus, path), 'utf8')
    const given = [{ sources: [path], contents }]
    const dry = await templates(world(), [], { dryRun: true, templates: given })
    expect([dry.status, dry.body.errors]).toEqual([200, undefined])
    expect(row).toMatchObject(cellsOf(dry.body.summary))
    expect(bare(dry.body.summary)).toEqual(bare(summaries.get(path)))
    const first = await templates(world(), [], { templates: given })
    expect([first.status, first.body.message]).toEqual([201, undefined])
    world().platform.reset()
    const again = await templates(world(), [], { templates: given, stackID: first.body.stackID })
    expect([again.status, world().platform.writes]).toEqual([201, []])
    const states = Object.values(again.body.diff as Record<string, any[]>).flat()
    expect(states.filter(({ stateStatus, changed }) => stateStatus !== 'exists' || changed === true)).toEqual([])
  })
})
