// A stack with many values and secrets outside of gitmoor: reading them must not block other work.
import { expect, test } from 'vitest'
import { Keyring } from '../../../src/secrets/keyring.js'
import { Redactor } from '../../../src/secrets/redact/redact.js'
import { StackInputs } from '../../../src/stacks/inputs/inputs.js'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import { never } from '../../e2e/world.js'

/** Longer than a slice. */
const slowMs = 12
const count = 5

/** Turns of the event loop in which references were read. */
const turns = new Set<number>()
let turn = 0

const inputs = new StackInputs({
  keyring: new Keyring(new Uint8Array(32)),
  redactor: new Redactor(),
  lookup: {
    directory: '/',
    environment: (name) => {
      turns.add(turn)
      for (const until = performance.now() + slowMs; performance.now() < until;);
      return `value of ${name}`
    },
  },
  allowed: { environment: [], files: [], dataDirectory: '/data' },
})

const values = Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, `\${env:NAME_${at}}`]))
const spec = { name: 'boards', ...stackDefaults, sources: [{ kind: 'inline' }], values } as const
const stack = { id: 'boards', spec, managedBy: 'file' } as const

/** In how many turns of the event loop the work read references. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  turns.clear()
  let isOver = false
  const next = (): void => {
    turn++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  await work()
  isOver = true
  return turns.size
}

test('slow references are read in turns of the event loop of their own', async () => {
  expect(await turnsOf(() => inputs.of(stack, [], never))).toBe(count)
  expect(await turnsOf(() => inputs.isUnreadable(stack, never))).toBe(count)
  expect(Object.fromEntries((await inputs.of(stack, [], never)).values)).toMatchObject({ key0: 'value of NAME_0' })
})
