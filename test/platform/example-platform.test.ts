// The example of docs/reference/platform-contract.md keeps the contract.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { registerPlatforms } from '../../src/platform/register-platforms.js'
import { describeDriver, type DriverSample } from './describe-driver.js'
import { describeKind } from './describe-kind.js'
import { describePlatform } from './describe-platform.js'
import { notes, notesDescription } from './example-platform.js'
import type { PlatformWorld } from './platform-world.js'

const root = mkdtempSync(join(tmpdir(), 'gitmoor-notes-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function open(): Promise<PlatformWorld> {
  const [target, other] = [1, 2].map(() => {
    return { name: 'notes', platform: 'notes', settings: { directory: mkdtempSync(join(root, 'target-')) } }
  })
  return { platform: notes, target: target!, other: other! }
}

const samples: readonly DriverSample[] = [
  {
    kind: 'Note',
    apiVersion: 'notes/v1',
    state: { name: 'milk', text: 'Buy milk.' },
    other: { name: 'bread', text: 'Bake bread.' },
    changed: { name: 'milk', text: 'Buy oat milk.' },
    natural: true,
  },
]

describePlatform('notes', open, samples)
describeDriver('notes', open, samples)
describeKind(notes.kinds![0]!, {
  valid: ['{ apiVersion: notes/v1, kind: Note, metadata: { name: milk }, spec: { text: Buy milk. } }'],
  invalid: [['{ apiVersion: notes/v1, kind: Note, metadata: { name: ../milk }, spec: { text: x } }', '/spec']],
})

test('the example can be registered with its description', () => {
  expect(registerPlatforms([notesDescription], [notes]).get('notes')).toBe(notes)
  expect(notesDescription.settings.safeParse({}).success).toBe(false)
})

test('docs/reference/platform-contract.md shows this example', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/platform-contract.md'), 'utf8')
  const [, ...lines] = readFileSync(join(import.meta.dirname, 'example-platform.ts'), 'utf8').split('\n')
  expect(page).toContain(lines.join('\n').trim())
})
