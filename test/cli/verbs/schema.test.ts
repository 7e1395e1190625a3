// JSON Schemas for editors accept the files that gitmoor accepts, and find mistakes in them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { influxdbKinds, packageSchema } from '../../../src/influxdb/kinds/kinds.js'
import { noValues } from '../../../src/model/resources/document.js'
import type { JsonObject } from '../../../src/model/json.js'
import { printFleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { printStackDocument } from '../../../src/settings/documents/stack-document.js'
import { sampleFleet, sampleStack, sampleTargetFleet } from '../../api/sample-views.js'
import { typeLine } from '../type-command.js'

/** What is wrong with the value, by the printed schema. */
async function problems(what: string, value: unknown): Promise<readonly string[]> {
  const typed = await typeLine(`schema ${what}`, {})
  expect(typed).toMatchObject({ code: 0, stderr: '' })
  const schema = JSON.parse(typed.stdout) as Parameters<typeof z.fromJSONSchema>[0]
  const result = z.fromJSONSchema(schema).safeParse(value)
  return result.success ? [] : result.error.issues.map(({ message }) => message)
}

const configuration = (): Record<string, unknown> =>
  parse(readFileSync('config/gitmoor.yaml', 'utf8')) as Record<string, unknown>

test('is JSON Schema, draft 7, with and without --json', async () => {
  for (const what of ['config', 'stack', 'fleet', 'package']) {
    const { stdout } = await typeLine(`schema ${what}`, {})
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' })
    expect((await typeLine(`schema ${what} --json`, {})).stdout).toBe(stdout)
  }
})

describe('the schema of the configuration file', () => {
  test('accepts the configuration that npm start uses', async () => {
    expect(await problems('config', configuration())).toEqual([])
  })

  test.each([
    ['an unknown key', { limts: {} }],
    ['a wrong choice', { log: { level: 'loud' } }],
    ['a stack without sources', { stacks: [{ name: 'boards' }] }],
    ['an interval that is none', { stacks: [{ name: 'boards', sources: [{ url: './a' }], interval: 'soon' }] }],
  ])('finds %s', async (_, changed) => {
    expect(await problems('config', { ...configuration(), ...changed })).not.toEqual([])
  })

  test('describes the settings of a stack', async () => {
    expect((await typeLine('schema config', {})).stdout).toContain('How often gitmoor polls the sources.')
  })
})

describe('the schema of a stack document', () => {
  test('accepts what stack get -o yaml prints', async () => {
    const document = parse(printStackDocument(sampleStack.spec)) as object
    expect(await problems('stack', document)).toEqual([])
    expect(await problems('stack', { ...document, drfit: 'report' })).not.toEqual([])
  })
})

describe('the schema of a fleet document', () => {
  test.each([sampleFleet, sampleTargetFleet])('accepts what fleet get -o yaml prints', async ({ spec }) => {
    const document = parse(printFleetDocument(spec)) as object
    expect(await problems('fleet', document)).toEqual([])
    expect(await problems('fleet', { ...document, target: 'local' })).not.toEqual([])
  })
})

interface KindSchema {
  readonly properties?: {
    readonly kind: { readonly const: string }
    readonly spec: { readonly anyOf: readonly [{ readonly properties: object }] }
  }
}

describe('the schema of a package file', () => {
  const invalid = ['merge-conflict', 'every-rule-once', 'compose.yml']
  const fixtures = readdirSync('fixtures', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file) && !invalid.some((name) => file.includes(name)))
    .map((file) => join('fixtures', file))

  test.each(fixtures)('accepts %s', async (file) => {
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
      const value: unknown = document.toJS()
      if (value !== null) expect(await problems('package', value)).toEqual([])
    }
  })

  test('accepts a JSON file with a list of documents', async () => {
    const label = { apiVersion: 'influxdata.com/v2alpha1', kind: 'Label', metadata: { name: 'red' } }
    expect(await problems('package', [label, { ...label, spec: { color: '#ff0000' } }])).toEqual([])
  })

  test.each([
    ['a kind', { kind: 'Bukket' }],
    ['a field', { spec: { colour: '#ff0000' } }],
    ['a name', { metadata: {} }],
  ])('finds a typo in %s', async (_, changed) => {
    const label = { apiVersion: 'influxdata.com/v2alpha1', kind: 'Label', metadata: { name: 'red' } }
    expect(await problems('package', { ...label, ...changed })).not.toEqual([])
  })

  /** Values that make a kind read further fields. */
  const variants: readonly JsonObject[] = [
    {},
    { type: 'basic' },
    { type: 'bearer' },
    { type: 'query' },
    { type: 'map' },
  ]
  const kinds = influxdbKinds.filter(({ kind }) => kind !== 'LabelMapping' && kind !== 'Secret')

  test.each(kinds.map((kind) => [kind.kind, kind] as const))('has the fields that %s reads', (name, kind) => {
    const read = new Set<string>()
    for (const given of variants) {
      const spec = new Proxy(given, {
        get: (values, key) => {
          if (typeof key === 'string') read.add(key)
          return (values as Record<string | symbol, unknown>)[key]
        },
      })
      const body = { apiVersion: kind.apiVersions[1]!, kind: name, metadata: { name: 'one' }, spec }
      const place = { file: 'a.yml', index: 0, pointer: '', line: 1 }
      kind.decode({
        apiVersion: body.apiVersion,
        kind: name,
        name: 'one',
        body,
        values: noValues,
        place,
        locate: () => place,
      })
    }
    const documents = packageSchema()['anyOf'] as unknown as readonly KindSchema[]
    const { spec: found } = documents.find((one) => one.properties?.kind.const === name)!.properties!
    const fields = found.anyOf[0].properties
    const unlabelled = name === 'Label' ? ['associations'] : []
    expect([...Object.keys(fields), ...unlabelled].sort()).toEqual([...read].sort())
  })
})
