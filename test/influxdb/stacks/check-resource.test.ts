// A request that writes a resource says what it shall hold: the rules of packages hold for that, too.
import { describe, expect, test } from 'vitest'
import { influxdbKindsWith, noContext } from '../../../src/influxdb/kinds/kinds.js'
import { familyOf, nameOf, type Identity } from '../../../src/model/address.js'
import { InvalidPackage } from '../../../src/model/errors.js'
import { Secret, type Json, type JsonObject } from '../../../src/model/json.js'
import type { Kind } from '../../../src/model/resources/kind.js'
import { refuseUnfit } from '../../../src/stacks/resources/check-resource.js'
import { FluxParser } from '../../../src/influxdb/flux/flux-parser.js'
import { corpusRows, corpusText, hasCorpus } from '../../corpus.js'
import { bucket, yaml } from '../packages.js'
import { never, useWorld } from '../world.js'
import { build, file } from '../read-texts.js'

const kinds = influxdbKindsWith({ ...noContext, conceal: (value) => new Secret(value, 'new'), flux: new FluxParser() })
const id = '00000000000000aa' as Identity

function kindsOf(family: string): readonly Kind[] {
  return kinds.filter((kind) => kind.family === family)
}

function fieldsRefused(work: () => void): readonly (string | undefined)[] {
  return problemsIn(work).map(({ field }) => field)
}

function problemsIn(work: () => void): InvalidPackage['problems'] {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof InvalidPackage)) throw error
    return error.problems
  }
}

test('a typo in a field gets the field that was probably meant', () => {
  const desired = { name: 'raw', description: 'x', descrption: 'y' }
  const check = { name: 'Bucket/raw', kinds: kindsOf('Bucket'), desired, identity: id }
  expect(problemsIn(() => refuseUnfit(check))).toMatchObject([{ hint: 'Did you mean "description"?' }])
})

const rule = { type: 'expire', everySeconds: 3_600 }
const slack = { type: 'slack', name: 'a', url: 'https://h/x' }

const unfit: Readonly<Record<string, readonly [family: string, live: JsonObject, fields: readonly string[]]>> = {
  'nothing at all': ['Bucket', {}, ['desired.name']],
  'a name that is not a text': ['Label', { name: 1 }, ['desired.name', 'desired.name']],
  'two retention rules': ['Bucket', { name: 'raw', retentionRules: [rule, rule] }, ['desired.retentionRules']],
  'a number as a text': [
    'Bucket',
    { name: 'raw', retentionRules: [{ ...rule, everySeconds: '1' }] },
    ['desired.retentionRules[0].everySeconds'],
  ],
  'a field that no bucket has': ['Bucket', { name: 'raw', retention: '1d' }, ['desired.retention']],
  'a field with an odd name': ['Bucket', { name: 'raw', 'a b': 1 }, ['desired["a b"]']],
  'a text that is a number': ['Label', { name: 'red', description: 7 }, ['desired.description']],
  'a task without a query': ['Task', { name: 'daily', every: '1h' }, ['desired.query']],
  'a chart of no kind': ['Dashboard', { name: 'ops', charts: [{ kind: 'nothing' }] }, ['desired.charts[0]']],
  'a check of no type': ['Check', { name: 'cpu' }, ['desired.type']],
  'an endpoint without an address': ['NotificationEndpoint', { ...slack, url: '' }, ['desired.url']],
  'a mapping without its ends': [
    'LabelMapping',
    { resourceType: 'buckets' },
    ['desired.resourceID', 'desired.labelID'],
  ],
  'a mapping of nothing that bears labels': [
    'LabelMapping',
    { resourceType: 'x', resourceID: id, labelID: id, more: 1 },
    ['desired.resourceType', 'desired.more'],
  ],
  'a secret that is not a text': ['Secret', { key: 'slack', value: 5 }, ['desired.value']],
}

const fit: Readonly<Record<string, readonly [family: string, live: JsonObject]>> = {
  'a bucket that keeps for ever': ['Bucket', { name: 'raw', retentionRules: [] }],
  'a bucket with a retention': ['Bucket', { name: 'raw', retentionRules: [rule] }],
  'an endpoint with a plain credential': ['NotificationEndpoint', { ...slack, token: 'hunter2-token' }],
  'an endpoint with a secret of its own': ['NotificationEndpoint', { ...slack, token: new Secret('x', 'y') }],
  'a secret': ['Secret', { key: 'slack', value: 'hunter2-token' }],
  'a mapping': ['LabelMapping', { resourceType: 'buckets', resourceID: id, labelID: id }],
}

describe('the desired state of a resource', () => {
  test.each(Object.entries(unfit))('is refused where it is %s', (_, [family, desired, fields]) => {
    expect(fieldsRefused(() => refuseUnfit({ name: family, kinds: kindsOf(family), desired, identity: id }))).toEqual(
      fields,
    )
  })

  test.each([
    { type: 'expire', everySecond: 3_600 },
    { type: 'expire', everySeconds: '1' },
  ])('is refused without the word that the field is ignored: %j', (wrong) => {
    const desired = { name: 'raw', retentionRules: [wrong] }
    const found = problemsIn(() => refuseUnfit({ name: 'Bucket', kinds: kindsOf('Bucket'), desired, identity: id }))
    expect(found.length).toBeGreaterThan(0)
    for (const { message } of found) expect(message).not.toContain('ignored')
  })

  test.each(Object.entries(fit))('may be %s', (_, [family, desired]) => {
    expect(fieldsRefused(() => refuseUnfit({ name: family, kinds: kindsOf(family), desired, identity: id }))).toEqual(
      [],
    )
  })

  test('may have a problem that was there before, so that another one can be repaired', () => {
    const before = { name: 'raw', odd: 1, description: 2 }
    const check = (desired: JsonObject): readonly unknown[] =>
      fieldsRefused(() => refuseUnfit({ name: 'Bucket/raw', kinds: kindsOf('Bucket'), desired, before, identity: id }))
    expect(check({ ...before, description: 'two' })).toEqual([])
    expect(check({ ...before, odder: 1 })).toEqual(['desired.odder'])
  })

  test('of any form is refused with problems, never with an internal error', () => {
    const odd: readonly Json[] = [
      null,
      1,
      true,
      '',
      'x',
      'http',
      [],
      [null],
      [[]],
      [{}],
      {},
      { name: 1 },
      { secretRef: 1 },
    ]
    const keys =
      'type name every offset query status tags thresholds url token endpointID statusRules values charts retentionRules'.split(
        ' ',
      )
    for (const { family } of kinds)
      for (const key of keys)
        for (const value of odd)
          for (const type of ['threshold', 'deadman', 'http', 'slack', 'map'])
            fieldsRefused(() =>
              refuseUnfit({
                name: family,
                kinds: kindsOf(family),
                desired: { type, name: 'n', [key]: value },
                identity: id,
              }),
            )
  })
})

describe.skipIf(!hasCorpus)('what packages declare', () => {
  test.each(corpusRows('yaml', 'json').map(({ path }) => path))('%s may be written by a request', (path) => {
    const { resources } = build([file(path, corpusText({ path }))]).value
    for (const { address, kind, spec } of resources.filter(({ partOf }) => partOf === undefined)) {
      const desired = kind.normalise(kind.encode(spec, ({ to }) => nameOf(to)))
      const fields = fieldsRefused(() =>
        refuseUnfit({ name: address, kinds: kindsOf(familyOf(address)), desired, identity: id }),
      )
      expect([address, fields]).toEqual([address, []])
    }
  })
})

describe('a request that is refused', () => {
  const world = useWorld()

  test('writes nothing, and names each field', async () => {
    await world().push(yaml(bucket('raw')))
    await world().create('boards')
    const before = (await world().ask.getResource('Bucket/raw', {}, never)).actual
    const live = { retentionRules: [rule, { type: 'expire', everySeconds: '1' }] }
    await expect(world().ask.editResource('Bucket/raw', live, {}, never)).rejects.toMatchObject({
      code: 'stacks/invalid-resource',
      message: 'The resource has 2 errors.',
      problems: [{ field: 'desired.retentionRules[1].everySeconds' }, { field: 'desired.retentionRules' }],
    })
    await expect(world().ask.createResource('Bucket', {}, {}, never)).rejects.toMatchObject({
      code: 'stacks/invalid-resource',
      message: 'Bucket: there is no name.',
    })
    expect((await world().ask.getResource('Bucket/raw', {}, never)).actual).toEqual(before)
    expect(await world().names()).toEqual(['Bucket/raw'])
  })
})
