// What people wrote, and what the reference makes of it. The corpus lies beside the project; a user's checkout has none.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { influxdbKinds } from '../../src/kinds/influxdb/influxdb.js'
import { familyOf } from '../../src/model/address.js'
import { errorsOf } from '../../src/model/problem.js'
import { parseYaml } from '../../src/package/parse-yaml.js'
import { packageLimits, readPackage } from '../../src/package/package.js'
import { build, file } from './read-texts.js'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isHere = existsSync(join(corpus, 'expect.tsv'))
if (!isHere) console.log('The corpus was not found beside the project: its tests are skipped.')

type Row = Readonly<Record<string, string>>
const rows = isHere ? readRows().filter(({ format }) => format !== 'jsonnet') : []
const known = new Set(influxdbKinds.map(({ kind }) => kind))
const comeLater = ['kinds/later-kind', 'kinds/later-version']

function readRows(): readonly Row[] {
  const [head, ...lines] = readFileSync(join(corpus, 'expect.tsv'), 'utf8').trimEnd().split('\n')
  const names = head!.split('\t')
  return lines.map((line) => Object.fromEntries(line.split('\t').map((cell, at) => [names[at]!, cell])))
}

function textOf(row: Row): string {
  return readFileSync(join(corpus, row['path']!), 'utf8')
}

describe.skipIf(!isHere)('the corpus', () => {
  test.each(rows.map((row) => [row['path']!, row] as const))('%s', (path, row) => {
    const [one] = [file(path, textOf(row))]
    const documents = readPackage([one])
    expect(documents.problems).toEqual([])
    const { value, problems } = build([one])
    const errors = errorsOf(problems)
    expect(errors.filter(({ code }) => !comeLater.includes(code))).toEqual([])
    const isKnown = documents.value.every(({ kind, apiVersion }) => known.has(kind) && !(kind === 'Task' && apiVersion.endsWith('2')))
    expect(errors.length === 0).toBe(isKnown)
    const count = (family: string): string => String(value.resources.filter(({ address }) => familyOf(address) === family).length)
    const charts = value.resources.flatMap(({ spec }) => (spec as { charts?: readonly unknown[] }).charts ?? [])
    const counts = { buckets: count('Bucket'), dashboards: count('Dashboard'), labels: count('Label'), charts: String(charts.length) }
    expect(row).toMatchObject(counts)
    if (isKnown) expect(row).toMatchObject({ tasks: count('Task'), labelMappings: count('LabelMapping') })
  })

  test.each(rows.filter(({ format }) => format === 'yaml').map((row) => [row['path']!, row] as const))(
    '%s has the same values to another parser',
    (_path, row) => {
      const theirs = parseAllDocuments(textOf(row), { version: '1.2' })
      const values = (theirs as readonly { toJS: () => unknown }[]).map((document) => document.toJS())
      expect(JSON.stringify(parseYaml(textOf(row), packageLimits).values)).toBe(JSON.stringify(values))
    },
  )
})
