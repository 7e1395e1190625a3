// What people wrote, and what InfluxDB makes of it.
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { familyOf } from '../../../src/model/address.js'
import type { EnvReference } from '../../../src/model/resources/document.js'
import { errorsOf } from '../../../src/model/problem.js'
import { parseYaml } from '../../../src/package/parse-yaml.js'
import { packageLimits, readPackage } from '../../../src/package/package.js'
import { attackScale } from '../../attack/scale.js'
import {
  corpusCases,
  corpusFamilies,
  corpusRows,
  corpusSample,
  corpusText,
  declares,
  hasCorpus,
  type CorpusRow,
} from '../../corpus.js'
import { build, file } from '../read-texts.js'

/** Columns of the table, and the families that they count. */
const columns: Readonly<Record<string, string>> = {
  buckets: 'Bucket',
  checks: 'Check',
  dashboards: 'Dashboard',
  labels: 'Label',
  labelMappings: 'LabelMapping',
  notificationEndpoints: 'NotificationEndpoint',
  notificationRules: 'NotificationRule',
  tasks: 'Task',
  telegrafConfigs: 'Telegraf',
  variables: 'Variable',
}

function pick(row: CorpusRow, counts: object): Readonly<Record<string, string>> {
  return Object.fromEntries([...Object.keys(counts), 'charts'].map((column) => [column, row[column]!]))
}

function listed(references: readonly EnvReference[]): string {
  return [...new Set(references.map(({ key }) => key))].sort().join(',')
}

describe.skipIf(!hasCorpus)('the corpus', () => {
  test('is sampled by at least a quarter with every family, and is whole at the full scale', () => {
    const rows = corpusRows('yaml', 'json')
    const sample = corpusSample('yaml', 'json').map(([, row]) => row)
    expect(rows).toEqual(expect.arrayContaining([...sample]))
    expect(sample.length).toBeGreaterThanOrEqual(attackScale() < 1 ? rows.length / 4 : rows.length)
    expect(corpusFamilies.filter((family) => !sample.some((row) => declares(row, family)))).toEqual([])
  })

  test.each(corpusCases('yaml', 'json'))('%s', (path, row) => {
    const [one] = [file(path, corpusText(row))]
    const documents = readPackage([one])
    expect(documents.problems).toEqual([])
    const { value, problems } = build([one])
    const errors = errorsOf(problems)
    expect(errors).toEqual([])
    const count = (family: string): string =>
      String(value.resources.filter(({ address }) => familyOf(address) === family).length)
    const charts = value.resources.flatMap(({ spec }) => (spec as { charts?: readonly unknown[] }).charts ?? [])
    const counts = Object.fromEntries(Object.entries(columns).map(([column, family]) => [column, count(family)]))
    expect({ ...counts, charts: String(charts.length) }).toEqual(pick(row, counts))
  })

  test.each(corpusCases('yaml', 'json'))(
    '%s has the references to other packages that InfluxDB reports',
    (path, row) => {
      const { value } = build([file(path, corpusText(row))])
      const references = value.resources.flatMap(({ kind, spec }) => kind.inputs?.envReferences(spec) ?? [])
      expect(listed(references.filter(({ unlisted }) => unlisted !== true))).toBe(row['envRefs'])
      expect(listed(references.filter(({ mayBeMissing }) => mayBeMissing !== true))).toBe(row['missingEnvRefs'])
    },
  )

  test.each(corpusCases('yaml'))('%s has the same values as in another parser', (_path, row) => {
    // Without a line break at its end the two read a block scalar differently, and YAML 1.2 is with us.
    const text = `${corpusText(row).trimEnd()}\n`
    const theirs = parseAllDocuments(text, { version: '1.2' })
    const values = (theirs as readonly { toJS: () => unknown }[]).map((document) => document.toJS())
    expect(JSON.stringify(parseYaml(text, packageLimits).values)).toBe(JSON.stringify(values))
  })
})
