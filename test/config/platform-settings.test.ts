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
  writeFileSync(join(directory, 'token'), 'the token of a server', { mode: 0o600 })
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

test('a target has the checks of the settings of its platform, at their lines', () => {
  const influx = (url: string, more = ''): string =>
    `targets:\n  prod:\n    platform: influxdb\n    organisation: main\n    token: "\${file:token}"\n    url: ${url}\n${more}`
  const plain =
    'gitmoor.yaml:6: "targets.prod.url" is http to another machine, which sends the token unencrypted. ' +
    'Use https, or set allowHttp: true.'
  expect(read(influx('http://10.99.0.1:8086')).problems).toEqual([expect.stringContaining(plain)])
  for (const [url, more] of [
    ['http://10.99.0.1:8086', '    allowHttp: true\n'],
    ['https://10.99.0.1:8086'],
    ['http://localhost:8086'],
    ['http://127.0.0.1:8086'],
    ["'http://[::1]:8086'"],
  ] as const)
    expect(read(influx(url, more)).problems).toEqual([])
  for (const path of ['/api/v2', '/api/v2/', '/influx/api'])
    expect(read(influx(`https://db.test${path}`)).problems).toEqual([
      expect.stringContaining('must be the address of the server, without /api/v2.'),
    ])
  expect(read(influx('nowhere')).problems).toHaveLength(1)
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
