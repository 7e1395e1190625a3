// Packages of the corpus over the InfluxDB API: counts, references and whole summaries of a dry run; apply, apply
// again, export, apply of the export, uninstall. `npm test` takes a quarter of them, `npm run test:all` all.
import { afterAll, describe, expect, test } from 'vitest'
import {
  corpusFamilies as collections,
  corpusSample,
  corpusSummaries,
  corpusText,
  hasCorpus,
  type CorpusRow,
  type CorpusSummary,
} from '../corpus.js'
import { askWire, orgOf, templates } from './wire-door.js'
import { never, useWorld } from '../influxdb/world.js'

const summaries = corpusSummaries()

/** The cells of expect.tsv that a summary gives. */
function cellsOf(summary: CorpusSummary): Partial<CorpusRow> {
  const counts = Object.fromEntries(collections.map((name) => [name, String(summary[name]!.length)]))
  const listed = (texts: readonly string[]): string => [...new Set(texts)].sort().join(',')
  const references = collections.flatMap((name) =>
    summary[name]!.flatMap(({ envReferences = [] }) => envReferences as any[]),
  )
  return {
    ...counts,
    charts: String(summary['dashboards']!.flatMap(({ charts }) => charts as any[]).length),
    envRefs: listed(references.map(({ envRefKey }) => envRefKey as string)),
    missingEnvRefs: summary['missingEnvRefs']!.join(','),
    missingSecrets: summary['missingSecrets']!.join(','),
  }
}

/**
 * Removes what the corpus does not compare: ids, zero values, the query builder, and what only gitmoor writes (bounds
 * of axes, durations of defaults as text, `tasks` and `selected`).
 */
function bare(value: any): any {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((one) => bare(one) ?? {})
  if (typeof value !== 'object' || value === null)
    return ['', 0, false, null, '0001-01-01T00:00:00Z'].includes(value) ? undefined : value
  const left = [
    'id',
    'orgID',
    'builderConfig',
    'bounds',
    'resourceID',
    'labelID',
    'endpointID',
    'selected',
    'summaryTask',
  ]
  const isDuration = value.valueType === 'duration'
  const kept = Object.entries(value).flatMap(([key, one]) => {
    const inner = left.includes(key) || (isDuration && key === 'defaultValue') ? undefined : bare(one)
    return inner === undefined ? [] : [[key, inner] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const world = useWorld()
/** What came of it, for who writes of it. */
const came = { packages: 0, resources: 0, mappings: 0, charts: 0 }

function count(summary: CorpusSummary): void {
  came.packages += 1
  came.resources += collections
    .filter((name) => name !== 'labelMappings')
    .reduce((sum, name) => sum + summary[name]!.length, 0)
  came.mappings += summary['labelMappings']!.length
  came.charts += Number(cellsOf(summary)['charts'])
}

describe.skipIf(!hasCorpus)('the corpus over the API', () => {
  afterAll(() => {
    const { packages, resources, mappings, charts } = came
    const counted = `${resources} resources with ${charts} charts and ${mappings} label mappings`
    console.log(
      `${packages} packages of the corpus: ${packages} rows and whole summaries equal; ${counted} applied, exported and uninstalled.`,
    )
  })

  test.each(corpusSample('yaml', 'json'))('%s', async (path, row) => {
    const given = [{ sources: [path], contents: corpusText(row) }]
    const dry = await templates(world(), [], { dryRun: true, templates: given })
    expect([dry.status, dry.body.errors]).toEqual([200, undefined])
    expect(row).toMatchObject(cellsOf(dry.body.summary))
    expect(bare(dry.body.summary)).toEqual(bare(summaries.get(path)))

    const first = await templates(world(), [], { templates: given })
    expect([first.status, first.body.message]).toEqual([201, undefined])
    const { stackID } = first.body
    await changesNothing(stackID, { templates: given })

    const exported = await askWire(world(), 'POST', '/api/v2/templates/export', { stackID })
    expect([exported.status, exported.body.length]).toEqual([200, resourcesOf(row)])
    await changesNothing(stackID, { templates: [{ sources: [path], contents: exported.body }] })
    expect((await askWire(world(), 'POST', '/api/v2/templates/export', { stackID })).body).toEqual(exported.body)

    const gone = await askWire(world(), 'POST', `/api/v2/stacks/${stackID}/uninstall?orgID=${await orgOf(world())}`)
    expect([gone.status, gone.body.resources]).toEqual([200, []])
    const { items } = await world().ask.listResources({ limit: 500 }, never)
    expect(items.filter(({ displayName }) => !displayName.startsWith('_'))).toEqual([])
    count(dry.body.summary)
  })
})

/** An apply to a stack that writes nothing to the target and nothing to the record. */
async function changesNothing(stackID: string, given: object): Promise<void> {
  const eventsOf = async (): Promise<unknown> => (await askWire(world(), 'GET', `/api/v2/stacks/${stackID}`)).body
  const before = await eventsOf()
  world().platform.reset()
  const { status, body } = await templates(world(), [], { ...given, stackID })
  expect([status, body.message, world().platform.writes]).toEqual([201, undefined, []])
  const states = Object.values(body.diff as Record<string, any[]>).flat()
  expect(states.filter(({ stateStatus, changed }) => stateStatus !== 'exists' || changed === true)).toEqual([])
  expect(await eventsOf()).toEqual(before)
}

function resourcesOf(row: CorpusRow): number {
  return collections.filter((name) => name !== 'labelMappings').reduce((sum, name) => sum + Number(row[name]), 0)
}
