// The contract suites on the test platform that keeps its resources in the database.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { JsonObject } from '../../src/model/json.js'
import type { Kind } from '../../src/model/resources/kind.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { ManualClock } from '../manual-clock.js'
import { describeDriver, type DriverSample } from '../platform/describe-driver.js'
import { describeKind } from '../platform/describe-kind.js'
import { describePlatform } from '../platform/describe-platform.js'
import type { PlatformWorld } from '../platform/platform-world.js'
import { plainKindNamed, plainVersion } from './plain-kinds.js'
import { plain } from './under-test.js'
import { openNewStore } from '../new-data-directory.js'

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

async function open(watch: 'yes' | 'no' = 'no'): Promise<PlatformWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-plain-'))
  const store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
  opened.push(() => {
    store[Symbol.dispose]()
    rmSync(directory, { recursive: true, force: true })
  })
  const platform = plain.open(store.documents, { sealer: new Keyring(new Uint8Array(32)) })
  const [target, other] = ['main', 'other'].map((name) => ({
    name,
    platform: 'plain',
    settings: { ...plain.settings(name), watch },
  }))
  return { platform, target: target!, other: other! }
}

function sample(kind: string, given: JsonObject = {}): DriverSample {
  const state = { name: 'one', description: '', ...given }
  const changed = { ...state, description: 'changed' }
  return {
    kind,
    apiVersion: plainVersion,
    state,
    other: { ...state, name: 'two' },
    changed,
    longer: { ...state, x: 1 },
  }
}

const samples = [
  sample('Label', { color: 'red' }),
  sample('Bucket', { retentionRules: [] }),
  { ...sample('Dashboard', { charts: [] }), unkeyed: true as const },
  sample('CheckDeadman', { type: 'deadman' }),
]

describePlatform('plain', () => open(), samples)
describeDriver('plain', () => open(), samples)
describeDriver(
  'plain that reports changes',
  () => open('yes'),
  samples.map((one) => ({ ...one, watched: true })),
)

for (const [name, spec] of [
  ['Label', '{ name: Red }'],
  ['Bucket', '{ associations: [{ kind: Label, name: red }] }'],
  ['Dashboard', '{ charts: [{ name: a }] }'],
  ['Task', '{ query: q }'],
  ['NotificationRule', '{ endpointName: chat }'],
])
  describeKind(plainKindNamed(name!, plainVersion) as Kind, {
    valid: [document(name!, spec!)],
    invalid: [[document(name!, '[]'), '/spec']],
  })

function document(kind: string, spec: string): string {
  return `apiVersion: ${plainVersion}\nkind: ${kind}\nmetadata: { name: one }\nspec: ${spec}\n`
}
