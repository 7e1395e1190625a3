import { expect, test } from 'vitest'
import { buildGraph } from '../../../src/graph/graph.js'
import { noValues } from '../../../src/model/resources/document.js'
import { Secret } from '../../../src/model/json.js'
import type { Kind } from '../../../src/model/resources/kind.js'
import { skipResources } from '../../../src/stacks/inputs/skip-resources.js'
import { readPackage } from '../../../src/package/package.js'
import { plainKinds } from '../../plain/plain-kinds.js'
import { plainSecret } from '../../plain/plain-platform.js'
import { at, idOf } from '../../plan/scenario.js'

const shape = {
  decode: () => ({ value: {}, problems: [] }),
  references: () => [],
  encode: () => ({}),
  normalise: (state) => state,
} as const satisfies Partial<Kind>

/** As another platform has it: authors declare secrets as they declare anything else. */
const authored: Kind = { ...shape, kind: 'Secret', family: 'Secret', apiVersions: ['v1'] }
const naming: Kind = {
  ...shape,
  kind: 'Pod',
  family: 'Pod',
  apiVersions: ['v1'],
  inputs: { envReferences: () => [], secretReferences: () => ['named'] },
}

const owned = (kind: string, name: string) => ({
  address: at(`${kind}/${name}`),
  kind,
  identity: idOf(1),
  applied: {},
  needs: [],
  adopted: false,
})

test('plans a declared resource that nothing names, also where its kind is called Secret', () => {
  const text = JSON.stringify([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, spec: {} }])
  const documents = readPackage([{ path: 'a.json', id: 'a', bytes: Buffer.from(text) }]).value
  const { resources } = buildGraph(documents, () => authored).value
  expect(skipResources(resources, [], [authored]).value.resources.map(({ address }) => address)).toEqual([
    'Secret/token',
  ])
})

test('removes a resource that is no longer declared, even if its kind is Secret and another resource names it', () => {
  const text = JSON.stringify([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: {} }])
  const documents = readPackage([{ path: 'a.json', id: 'a', bytes: Buffer.from(text) }]).value
  const { resources } = buildGraph(documents, () => naming).value
  expect(skipResources(resources, [], [authored, naming]).value.isSkipped(owned('Secret', 'named'))).toBe(false)
  expect(skipResources(resources, [], plainKinds).value.isSkipped(owned('Secret', 'named'))).toBe(true)
})

test('does not write a given secret that no resource names', () => {
  const beside = [plainSecret('token', new Secret('x', 'f'), noValues)]
  const { resources } = buildGraph([], () => plainKinds.find(({ kind }) => kind === 'Secret'), {
    beside,
    allowEmpty: true,
  }).value
  expect(resources).toHaveLength(1)
  expect(skipResources(resources, [], plainKinds).value.resources).toEqual([])
})
