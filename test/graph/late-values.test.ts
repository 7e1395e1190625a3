// References in texts of `spec`: how they are read, and what a kind gets of them.
import { describe, expect, test, vi } from 'vitest'
import { lateLimits } from '../../src/graph/late/late-fields.js'
import { parseLateText } from '../../src/graph/late/late-text.js'
import { buildGraph } from '../../src/graph/graph.js'
import { plainKindNamed } from '../plain/plain-kinds.js'
import type { Address, Identity } from '../../src/model/address.js'
import { InvalidPackage } from '../../src/model/errors.js'
import { Secret, type Json, type JsonObject } from '../../src/model/json.js'
import { problemAt } from '../../src/model/problem.js'
import { unknownYet, type Kind, type Resolve } from '../../src/model/resources/kind.js'
import type { Resource } from '../../src/model/resources/resource.js'
import { readPackage } from '../../src/package/package.js'
import { Lamps } from '../lamps.js'
import { file } from './read-texts.js'

const lamps = new Lamps()
const room = 'Room/hall' as Address

function build(text: string, platform: 'lamps' | 'plain' = 'lamps', takesReferences = true) {
  const documents = readPackage([file('a.yml', text)]).value
  const declared = documents.map((one) => (takesReferences ? { ...one, takesReferences: true as const } : one))
  const { value, problems } = buildGraph(
    declared,
    platform === 'lamps' ? (kind, version) => lamps.kind(kind, version) : plainKindNamed,
  )
  return { resources: value.resources, problems }
}

function lamp(spec: string): string {
  return `apiVersion: lamps/v1\nkind: Lamp\nmetadata: {name: door}\nspec: ${spec}\n---\napiVersion: lamps/v1\nkind: Room\nmetadata: {name: hall}\n`
}

function lampOf(spec: string): Resource {
  const { resources, problems } = build(lamp(spec))
  expect(problems).toEqual([])
  return resources.find(({ address }) => address === 'Lamp/door')!
}

/** The state of a lamp whose references have these values, by output. */
function stateOf(spec: string, values: Readonly<Record<string, Json>> = {}): unknown {
  const { kind, spec: read } = lampOf(spec)
  const resolve: Resolve = (reference) => values[reference.output ?? 'id'] ?? unknownYet(reference)
  const { name: _, ...state } = kind.normalise(kind.encode(read, resolve))
  return JSON.parse(JSON.stringify(state))
}

const waiting = (output: string): string => `(known after apply: ${output} of Room/hall)`

describe('a text with references', () => {
  const of = (output: string, to = 'Room/hall') => ({ to: to as Address, output, text: `$(ref.${to}.${output})` })
  test.each<[string, ReturnType<typeof parseLateText>]>([
    ['$(ref.Room/hall.id)', [of('id')]],
    ['in $(ref.Room/hall.floor), lit', ['in ', of('floor'), ', lit']],
    ['$(ref.Room/hall.a)$(ref.Room/hall.b)', [of('a'), of('b')]],
    ['$(ref.Room/is-super_Cool.id)', [of('id', 'Room/is-super_Cool')]],
    ['$(ref.Room/hall.ports[0].to["a)b"])', [of('ports[0].to["a)b"]')]],
    ['$(ref.Room.v2/hall.id)', [of('id', 'Room.v2/hall')]],
    ['$(ref.Room/hall["a"])', { malformed: '$(ref.Room/hall["a"])' }],
    ['$(ref.Room/hall.a["\\")"])!', [of('a["\\")"]'), '!']],
    ['$$(ref.Room/hall.id)', ['$(ref.', 'Room/hall.id)']],
    ['a $$(ref. $(ref.Room/hall.id)', ['a $(ref.', ' ', of('id')]],
    ['$(ref.Room/hall.id)$$(ref.', [of('id'), '$(ref.']],
    ['$ref.Room/hall.id)', 'plain'],
    ['$(Room/hall.id)', 'plain'],
    ['', 'plain'],
    ['x $(ref.Room/hall.path', { malformed: '$(ref.Room/hall.path' }],
    ['$(ref.Room/hall)', { malformed: '$(ref.Room/hall)' }],
    ['$(ref.Room/hall.)', { malformed: '$(ref.Room/hall.)' }],
    ['$(ref.hall.id)', { malformed: '$(ref.hall.id)' }],
    ['$(ref.Room/a b.id)', { malformed: '$(ref.Room/a b.id)' }],
    ['$(ref.Room/hall.path()', { malformed: '$(ref.Room/hall.path()' }],
    ['$(ref.Room/hall.path())', { malformed: '$(ref.Room/hall.path())' }],
    ['$(ref.Room/hall.a[*])', { malformed: '$(ref.Room/hall.a[*])' }],
    ['$(ref.Room/hall.id) $(ref.x', { malformed: '$(ref.x' }],
  ])('%s', (text, parts) => {
    expect(parseLateText(text)).toEqual(parts)
  })
})

describe('a field with a reference', () => {
  test('is an edge that says the field', () => {
    const { edges } = lampOf('{text: "in $(ref.Room/hall.floor)", list: [x, $(ref.Room/hall.id)]}')
    expect(edges).toEqual([{ to: room, why: 'reference', text: 'spec.text' }])
  })

  test('is known after apply, and only this field', () => {
    expect(
      stateOf(
        '{text: "in $(ref.Room/hall.floor)", list: [x, $(ref.Room/hall.id)], map: {a: {b: $(ref.Room/hall.id)}}}',
      ),
    ).toEqual({ text: waiting('floor'), list: ['x', waiting('id')], map: { a: { b: waiting('id') } } })
  })

  test('of several references is known when all are, and names the first that is not', () => {
    const spec = '{text: "$(ref.Room/hall.a) $(ref.Room/hall.b) $(ref.Room/hall.c)"}'
    expect(stateOf(spec, { a: 1 })).toEqual({ text: waiting('b') })
    expect(stateOf(spec, { a: 1, b: true, c: 'x' })).toEqual({ text: '1 true x' })
  })

  test('alone takes a value of any type, and beside text a scalar', () => {
    expect(
      stateOf('{a: $(ref.Room/hall.list), b: "$(ref.Room/hall.zero)%", c: $(ref.Room/hall.none)}', {
        list: [1, { b: 2 }],
        zero: 0,
        none: false,
      }),
    ).toEqual({ a: [1, { b: 2 }], b: '0%', c: false })
  })

  test('may have the text of a reference itself', () => {
    expect(stateOf('{text: "write $$(ref.Room/hall.id) for $(ref.Room/hall.id)"}', { id: 'h1' })).toEqual({
      text: 'write $(ref.Room/hall.id) for h1',
    })
    expect(stateOf('{text: "$$(ref."}')).toEqual({ text: '$(ref.' })
  })

  test('may be a key like __proto__', () => {
    const { kind, spec } = lampOf('{__proto__: {constructor: $(ref.Room/hall.id)}, id: $(ref.Room/hall.id)}')
    const state = kind.encode(spec, () => 'h1')
    expect([Object.hasOwn(Object.prototype, 'h1'), state['id'], Object.getPrototypeOf({})]).toEqual([
      false,
      'h1',
      Object.prototype,
    ])
  })

  test('that names the resource leaves it without key and display name until it is known', () => {
    const { kind, spec } = lampOf('{name: "lamp of $(ref.Room/hall.id)", text: $(ref.Room/hall.text)}')
    const nameIn = (resolve: Resolve) => {
      const state = kind.encode(spec, resolve)
      return [kind.matching!.key(state), kind.displayName!(state)]
    }
    expect(nameIn(unknownYet)).toEqual([undefined, undefined])
    const known: Resolve = (one) => (one.output === 'id' ? 'h1' : unknownYet(one))
    expect(nameIn(known)).toEqual(['lamp of h1', 'lamp of h1'])
  })

  test('takes a secret alone, and shows it nowhere', () => {
    expect(stateOf('{code: $(ref.Room/hall.id)}', { id: new Secret('1234', 'f1') })).toEqual({ code: '(secret f1)' })
  })

  test('is plain text in documents that do not take references', () => {
    const text = 'apiVersion: plain/v1\nkind: Label\nmetadata: {name: a}\nspec: {name: "$(ref.x"}'
    const { resources, problems } = build(text, 'plain', false)
    expect([problems, resources[0]!.kind.encode(resources[0]!.spec, unknownYet)['name']]).toEqual([[], '$(ref.x'])
  })
})

describe('a value', () => {
  const refused = (spec: string, value: Json): readonly string[] => {
    const { kind, spec: read } = lampOf(spec)
    try {
      kind.encode(read, () => value)
    } catch (error) {
      if (error instanceof InvalidPackage)
        return error.problems.map(({ message, hint, place }) => `${place?.line} ${message} ${hint}`)
    }
    return []
  }

  test.each<[string, Json, string]>([
    ['a list', [1], 'a list or a map. Name a value inside it, or let it be the whole field.'],
    ['a map', {}, 'a list or a map. Name a value inside it, or let it be the whole field.'],
    ['null', null, 'null. Name a value inside it, or let it be the whole field.'],
    ['a secret', new Secret('hidden', 'f1'), 'a secret, which plans would show. Let it be the whole field.'],
  ])('in text may not be %s', (_, value, why) => {
    expect(refused('{text: "in $(ref.Room/hall.id)"}', value)).toEqual([
      `4 Lamp/door: spec.text contains "$(ref.Room/hall.id)", which is ${why}`,
    ])
  })

  test('may not make the text too long', () => {
    const most = 'x'.repeat(lateLimits.characters - 3)
    expect(refused('{text: "in $(ref.Room/hall.id)"}', most)).toEqual([])
    expect(refused('{text: "in $(ref.Room/hall.id)"}', `${most}x`)).toEqual([
      '4 Lamp/door: spec.text has references and more than 1,048,576 characters. Shorten the text.',
    ])
  })
})

describe('a kind whose fields wait', () => {
  const lampKind = lamps.kind('Lamp', 'lamps/v1') as Kind<JsonObject>
  const lampOfKind = (kind: Kind<JsonObject>, spec: string) => {
    const documents = readPackage([file('a.yml', lamp(spec))]).value
    const { value, problems } = buildGraph(documents, (name, version) =>
      name === 'Lamp' ? (kind as Kind) : lamps.kind(name, version),
    )
    return { problems, lamp: value.resources.find(({ address }) => address === 'Lamp/door'), document: documents[0]! }
  }

  test('keeps its facets: steps, secrets, and a removal without losses', () => {
    const own = new Secret('1234', 'f1')
    const { lamp: found, document } = lampOfKind(
      {
        ...lampKind,
        documents: {
          takesMeta: true,
          *decodeSteps(one) {
            yield
            return lampKind.decode(one)
          },
        },
        inputs: { envReferences: () => [], secretReferences: ({ code }) => [code as string] },
        secrets: { conceal: (state) => state, recognise: (desired) => ({ ...desired, code: own }) },
        removal: { losesData: true },
      },
      '{code: front, text: "in $(ref.Room/hall.id)"}',
    )
    const { kind, spec } = found!
    expect(kind.inputs?.secretReferences?.(spec)).toEqual(['front'])
    expect(kind.removal).toEqual({ losesData: true })
    const there = { identity: 'l1' as Identity, actual: {} }
    const recognised = kind.secrets!.recognise(kind.encode(spec, unknownYet), there, [])
    expect(JSON.parse(JSON.stringify(recognised))).toEqual({
      name: 'door',
      code: '(secret f1)',
      text: waiting('id'),
    })
    expect(kind.decode(document)).toMatchObject({ value: { sample: { text: 'in sample-a' } }, problems: [] })
  })

  test('may have fields that only fit together', () => {
    const pair: Kind<JsonObject> = {
      ...lampKind,
      decode: (document) => {
        const { value, problems } = lampKind.decode(document)
        if (value?.['left'] === value?.['right']) return { value, problems }
        const finding = { code: 'lamps/pair', message: 'left and right differ.' }
        return { value, problems: [problemAt('error', document.locate('/spec'), finding)] }
      },
    }
    const { lamp: found, problems } = lampOfKind(pair, '{left: $(ref.Room/hall.a), right: $(ref.Room/hall.b)}')
    expect(problems).toEqual([])
    const { kind, spec } = found!
    const planned = JSON.parse(JSON.stringify(kind.encode(spec, unknownYet))) as JsonObject
    expect(Object.keys(planned).filter((key) => planned[key] !== 'door')).toEqual(['left', 'right'])
    expect(planned['left']).toMatch(/^\(known after apply: [ab] of Room\/hall\)$/)
    expect(planned['right']).toMatch(/^\(known after apply: [ab] of Room\/hall\)$/)
    const encode = () => kind.encode(spec, ({ output = '' }) => output)
    expect(encode).toThrow(InvalidPackage)
    expect(encode).toThrow('left and right differ.')
    expect(kind.encode(spec, () => 'same')).toEqual({ name: 'door', left: 'same', right: 'same' })
  })
})

describe('a problem', () => {
  const problemsOf = (spec: string) =>
    build(lamp(spec)).problems.map(({ code, message, place, hint }) =>
      `${place?.line} ${code} ${message} ${hint ?? ''}`.trim(),
    )

  test('of each malformed reference has its line', () => {
    const hint = 'Write $(ref.KIND/NAME.PATH), such as $(ref.Room/hall.id), or $$(ref. for the text itself.'
    expect(problemsOf('\n  a: $(ref.x\n  b: [$(ref.Room/hall)]\n  c: $(ref.Room/hall.id)')).toEqual([
      `5 graph/late-reference Lamp/door: spec.a has the malformed reference "$(ref.x". ${hint}`,
      `6 graph/late-reference Lamp/door: spec.b[0] has the malformed reference "$(ref.Room/hall)". ${hint}`,
    ])
  })

  test('of undeclared resources, of the resource itself, and of a cycle are those of every reference', () => {
    expect(problemsOf('{a: "$(ref.Room/x.id)"}')[0]).toContain('4 graph/undeclared Lamp/door needs Room/x')
    expect(problemsOf('{a: "$(ref.Lamp/door.id)"}')).toEqual(['4 graph/self-reference Lamp/door refers to itself.'])
  })

  test('of too many references and of a long text', () => {
    const many = (count: number): string => `{a: "${'$(ref.Room/hall.id)'.repeat(count)}"}`
    expect(problemsOf(many(100))).toEqual([])
    expect(problemsOf(many(101))).toEqual([
      '4 graph/late-reference Lamp/door: spec has 101 references; a document may have 100. Declare several resources instead.',
    ])
    const decode = vi.spyOn(
      lamps.kinds.find(({ kind }) => kind === 'Lamp')!,
      'decode',
    )
    problemsOf(many(101))
    expect(decode).not.toHaveBeenCalled()
    decode.mockRestore()
    const long = (length: number): string => `{a: "${'$(ref.Room/hall.id)'.padEnd(length, 'x')}"}`
    expect(problemsOf(long(lateLimits.written))).toEqual([])
    expect(problemsOf(long(lateLimits.written + 1))).toEqual([
      '4 graph/late-value Lamp/door: spec.a has references and more than 524,288 characters. Shorten the text.',
    ])
  })

  test('of a field that decides what the resource needs', () => {
    expect(problemsOf('{room: "$(ref.Room/hall.name)"}')).toContain(
      '4 graph/late-field Lamp/door: spec.room cannot wait for the value of another resource. Write the value itself.',
    )
  })
})
