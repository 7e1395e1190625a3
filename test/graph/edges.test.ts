import { describe, expect, test } from 'vitest'
import { buildGraph } from '../../src/graph/graph.js'
import type { Address } from '../../src/model/address.js'
import { readPackage } from '../../src/package/package.js'
import { Lamps } from '../lamps.js'
import { file } from './read-texts.js'

const lamps = new Lamps()

/** Documents of the lamps, as lines: `Lamp door { needs: [Room/hall] }`. */
function build(...lines: readonly string[]) {
  const text = lines.map((line) => {
    const [, kind, name, rest] = /^(\w+) (\S+) ?(.*)$/s.exec(line)!
    return `apiVersion: lamps/v1\nkind: ${kind}\nmetadata: {name: ${name}}\n${rest}\n`
  })
  const documents = readPackage([file('a.yml', text.join('---\n'))]).value
  const { value, problems } = buildGraph(documents, (kind, version) => lamps.kind(kind, version))
  const of = (address: string) => value.byAddress.get(address as Address)
  return {
    order: value.resources.map(({ address }) => address),
    edges: (address: string) => of(address)?.edges.map(({ to, why, text: field }) => `${to} ${why} ${field}`),
    meta: (address: string) => of(address)?.meta,
    problems: problems.map(({ code, message, place, hint }) =>
      `${place?.line} ${code} ${message} ${hint ?? ''}`.trim(),
    ),
  }
}

describe('an edge', () => {
  test('of a field that names a resource says which field', () => {
    const { edges, problems } = build('Room hall', 'Lamp door spec: {room: hall}')
    expect([edges('Lamp/door'), problems]).toEqual([['Room/hall reference spec.room'], []])
  })

  test('of `needs` puts a resource after one that no field names', () => {
    const { order, edges } = build('Lamp door needs: [Lamp/porch, Room/hall]', 'Lamp porch', 'Room hall')
    expect(order).toEqual(['Lamp/porch', 'Room/hall', 'Lamp/door'])
    expect(edges('Lamp/door')).toEqual(['Lamp/porch declared needs[0]', 'Room/hall declared needs[1]'])
  })

  test('of a field wins over one of `needs`', () => {
    const { edges } = build('Room hall', 'Lamp door spec: {room: hall}\nneeds: [Room/hall]')
    expect(edges('Lamp/door')).toEqual(['Room/hall reference spec.room'])
  })
})

describe('`needs`', () => {
  test('of an undeclared resource, of itself, and in another form are problems at their lines', () => {
    const { problems } = build(
      'Lamp a needs: [Room/x]',
      'Lamp b needs: [Lamp/b]',
      'Lamp c needs: [porch, 1]',
      'Lamp d needs: Lamp/a',
    )
    const form = 'Write a list of KIND/NAME, such as [Room/hall].'
    expect(problems).toEqual([
      '4 graph/undeclared Lamp/a needs Room/x, which this package does not declare. Declare it in the package, or correct the name.',
      '9 graph/self-reference Lamp/b refers to itself.',
      `14 graph/needs-form Lamp/c: needs[0] is not the address of a resource. ${form}`,
      `14 graph/needs-form Lamp/c: needs[1] is not the address of a resource. ${form}`,
      `19 graph/needs-form Lamp/d: needs is not the address of a resource. ${form}`,
    ])
  })

  test('in a cycle are a problem', () => {
    const { order, problems } = build('Lamp a needs: [Lamp/b]', 'Lamp b needs: [Lamp/a]', 'Lamp c')
    expect([order, problems]).toEqual([
      ['Lamp/c'],
      ['1 graph/cycle Lamp/a needs Lamp/b, which needs Lamp/a. Remove one of these references.'],
    ])
  })
})

describe('`meta`', () => {
  test('sets the time limit of calls that write the resource', () => {
    const { meta, problems } = build('Lamp a meta: {timeout: 10m}', 'Lamp b', 'Lamp c meta: {timeout: null}')
    expect([meta('Lamp/a'), meta('Lamp/b'), meta('Lamp/c'), problems]).toEqual([{ timeoutMs: 600_000 }, {}, {}, []])
  })

  test('refuses keys without an effect, and values in another form', () => {
    const { order, problems } = build(
      'Lamp a meta: {timout: 10m}',
      'Lamp b meta: {noop: true}',
      'Lamp c meta: {timeout: 10}',
      'Lamp d meta: {timeout: 2d}',
      'Lamp e meta: [timeout]',
      'Lamp f',
    )
    expect(order).toEqual(['Lamp/f'])
    expect(problems).toEqual([
      '4 graph/unknown-meta Lamp/a: there is no key "timout" of meta. Did you mean "timeout"?',
      '9 graph/unknown-meta Lamp/b: there is no key "noop" of meta. The keys of meta are: timeout.',
      '14 graph/meta-form Lamp/c: meta.timeout is not a time from 1s to 24h, such as 10m.',
      '19 graph/meta-form Lamp/d: meta.timeout is not a time from 1s to 24h, such as 10m.',
      '24 graph/meta-form Lamp/e: meta is not a map.',
    ])
  })
})
