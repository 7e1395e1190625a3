// Each platform has its own settings of a target. The configuration knows them by its description only.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { configurationSchema, readConfiguration } from '../../src/config/config.js'
import { formatProblem } from '../../src/model/problem.js'
import type { PlatformDescription } from '../../src/platform/platform.js'
import { strictObject } from '../../src/settings/schema/strict-object.js'
import { platforms } from '../../src/platforms.js'

const lamps: PlatformDescription = {
  name: 'lamps',
  version: 1,
  settings: strictObject({ bridge: z.string(), floors: z.int().default(1) }),
  families: ['Lamp'],
  eventFamilies: { associated: [], unlisted: [] },
  packageSchema: () => ({}),
  openKinds: () => ({
    kind: () => undefined,
    explainUnknownKind: () => ({ code: 'kinds/unknown-kind', message: 'There is no such lamp.' }),
    [Symbol.dispose]: () => {},
  }),
}

function read(text: string, known: readonly PlatformDescription[] = [...platforms, lamps]) {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-platforms-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'gitmoor.yaml'), text)
  const { value, problems } = readConfiguration('gitmoor.yaml', { platforms: known }, directory)
  return { targets: value?.targets, problems: problems.map(formatProblem) }
}

test('a target has the settings of its platform, with their defaults', () => {
  const { targets, problems } = read('targets: { hall: { platform: lamps, bridge: b1 }, lab: { platform: embedded } }')
  expect(problems).toEqual([])
  expect(targets).toEqual({
    local: { platform: 'embedded', settings: { organisation: 'main' } },
    hall: { platform: 'lamps', settings: { bridge: 'b1', floors: 1 } },
    lab: { platform: 'embedded', settings: { organisation: 'main' } },
  })
})

test('`local` is on the first platform', () => {
  const { targets } = read('{}', [{ ...lamps, settings: strictObject({ floors: z.int().default(1) }) }])
  expect(targets).toEqual({ local: { platform: 'lamps', settings: { floors: 1 } } })
})

test.each([
  ['{ platform: lamps }', '"targets.hall.bridge" is missing: a text is needed.'],
  [
    '{ platform: lamps, bridge: b1, organisation: main }',
    'Unknown key "organisation": known keys are platform, labels, bridge, floors.',
  ],
  [
    '{ platform: embedded, bridge: b1 }',
    'Unknown key "bridge": known keys are platform, labels, organisation, directWrites.',
  ],
  ['{ platform: lamp, bridge: b1 }', 'lamp'],
])('the target %s is refused: %s', (target, message) => {
  const { targets, problems } = read(`targets: { hall: ${target} }`)
  expect(targets).toBeUndefined()
  expect(problems).toEqual([expect.stringContaining(message)])
})

test('`ignore` and `protect` may name families of every platform', () => {
  const stack = (family: string): string =>
    `stacks: [{ name: a, sources: [{ url: https://h/x }], protect: [${family}/x] }]`
  expect(read(stack('Lamp')).problems).toEqual([])
  expect(read(stack('Bucket')).problems).toEqual([])
  expect(read(stack('Bucket'), [{ ...lamps, settings: strictObject({}) }]).problems).toEqual([
    expect.stringContaining('names a family that does not exist'),
  ])
})

test('the JSON Schema of the configuration file has the settings of every platform', () => {
  const schema = JSON.stringify(configurationSchema([...platforms, lamps]))
  expect(schema).toContain('"organisation"')
  expect(schema).toContain('"bridge"')
})
