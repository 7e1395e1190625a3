// A state, declared by an export and read again, is the same state. No state makes a kind throw.
import { describe, expect, test } from 'vitest'
import { influxdbKindsWith, noFlux, wires, type WireContext } from '../../../src/influxdb/kinds/kinds.js'
import { addressOf, familyOf, nameOf, type Address, type Identity } from '../../../src/model/address.js'
import { Secret, type Json, type JsonObject } from '../../../src/model/json.js'
import type { Kind } from '../../../src/model/resources/kind.js'
import { errorsOf } from '../../../src/model/problem.js'
import { readPackage } from '../../../src/package/package.js'
import { attackSeed, attackShare } from '../../attack/scale.js'
import { claim, claimEqual } from '../../claim.js'
import { corpusRows, corpusText, hasCorpus } from '../../corpus.js'
import { seeded } from '../../package/seeded.js'
import { build, doc, file } from '../read-texts.js'

const kinds = influxdbKindsWith({ conceal: (value) => new Secret(value, `of ${value.length}`), flux: noFlux })
const families = ['Bucket', 'Check', 'Label', 'NotificationEndpoint', 'NotificationRule', 'Telegraf', 'Variable']
const mine = kinds.filter(({ family }) => families.includes(family))
const id = '00000000000000aa' as Identity

const rounds = attackShare(1_000)

/** The identity of the resource at an address names it. */
const resolve = ({ to }: { readonly to: Address }): Json => nameOf(to)

function stateBy(kind: Kind, spec: unknown): JsonObject {
  return kind.normalise(kind.encode(spec, resolve))
}

function again(kind: Kind, held: JsonObject): JsonObject {
  const declared = kind.authored!.declare(held, (_family, identity) => identity, id)
  const [document] = readPackage([file('a.json', doc(kind.kind, 'thing', declared))]).value
  const { value, problems } = kind.decode(document!)
  claimEqual(errorsOf(problems), [], () => JSON.stringify(declared))
  return stateBy(kind, value)
}

/** A plain value comes back as the key under which the target keeps it. */
function exported(held: JsonObject): JsonObject {
  const suffix = (field: string): string => (field === 'routingKey' ? 'routing-key' : field)
  const one = (field: string, value: Json): Json =>
    value instanceof Secret ? { secretRef: { key: `${id}-${suffix(field)}` } } : value
  return Object.fromEntries(Object.entries(held).map(([field, value]) => [field, one(field, value)]))
}

describe.skipIf(!hasCorpus)('everything of the corpus', () => {
  test.each(corpusRows('yaml', 'json').map(({ path }) => path))('%s has the same state after an export', (path) => {
    const { resources } = build([file(path, corpusText({ path }))]).value
    for (const { address, kind, spec } of resources.filter((one) => families.includes(familyOf(one.address))))
      expect([address, again(kind, stateBy(kind, spec))]).toEqual([address, exported(stateBy(kind, spec))])
  })
})

describe('a state may be anything', () => {
  const fields =
    'type name description every offset query statusMessageTemplate status tags thresholds level timeSince url method authMethod token routingKey endpointID statusRules tagRules values language selected config color retentionRules measurementSchemas'.split(
      ' ',
    )
  const odd: readonly Json[] = [
    null,
    1,
    true,
    '',
    'x',
    'http',
    'deadman',
    'map',
    'query',
    '1h',
    [],
    [null],
    [[]],
    [{}],
    [{ key: 'a', value: 'b' }],
    {},
    { name: 1 },
    new Secret('x', 'y'),
  ]
  const known: WireContext['known'] = (family, which) => ({
    id,
    name: 'n',
    metaName: 'm',
    kind: addressOf(family, JSON.stringify(which)),
    state: {},
  })

  test.each(mine.map((kind) => [kind.kind, kind] as const))(
    '%s neither throws nor changes when it is normalised twice',
    (name, kind) => {
      const random = seeded(attackSeed())
      for (let i = 0; i < rounds; i++) {
        const chosen = fields.filter(() => random(10) < 6).map((field) => [field, odd[random(odd.length)]!] as const)
        const held: JsonObject = Object.fromEntries(chosen)
        const once = kind.normalise(held)
        claimEqual(kind.normalise(once), once, () => JSON.stringify(held))
        for (const form of [held, once]) {
          wires[name]!.summary(form, { id: '', orgID: '', known }, { endpointName: 'a' })
          kind.authored!.declare(form, () => undefined, id)
          kind.matching?.key(form)
          const diff = JSON.stringify(wires[name]!.diff(form, { id, orgID: '', known }))
          claim(!diff.includes('undefined'), () => diff)
        }
      }
    },
  )
})

describe('what a person writes may be anything', () => {
  const odd: readonly Json[] = [
    null,
    1.5,
    true,
    '',
    ' ',
    'x',
    -1,
    [],
    [null],
    ['a'],
    [{}],
    [{ type: 'greater', level: 'ok', key: 'k' }],
    {},
    { envRef: { key: 'e' } },
    { secretRef: { key: 's' } },
    { secretRef: 1 },
    'flux',
    'active',
    '10m',
    'POST',
    'basic',
    'constant',
    'map',
    'query',
  ]
  const fields =
    'name description every offset query statusMessageTemplate status tags thresholds level timeSince staleTime reportZero url method type username password token routingKey endpointName channel messageTemplate statusRules tagRules values language selected config color retentionRules associations'.split(
      ' ',
    )

  test.each(mine.map((kind) => [kind.kind, kind] as const))(
    '%s reads it without throwing, and each error has a field',
    (name, kind) => {
      const random = seeded(attackSeed())
      for (let i = 0; i < rounds; i++) {
        const spec = Object.fromEntries(
          fields.filter(() => random(10) < 7).map((field) => [field, odd[random(odd.length)]!]),
        )
        const [document] = readPackage([file('a.json', doc(name, 'thing', spec))]).value
        const { value, problems } = kind.decode(document!)
        for (const { field, place, message } of problems)
          claim(field?.startsWith('root[0]') === true && place!.line === 1, () => `${field}: ${message}`)
        const held = stateBy(kind, value)
        claimEqual(kind.normalise(held), held, () => JSON.stringify(spec))
        if (errorsOf(problems).length === 0) claimEqual(again(kind, held), exported(held), () => JSON.stringify(spec))
      }
    },
  )
})
