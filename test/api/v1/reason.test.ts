// The reason of a decision: one rule for all requests, and the same in the command line.
import { describe, expect, test } from 'vitest'
import { openTestShell } from '../../cli/type-command.js'
import { openDoor } from '../request-api.js'

/** A request with a reason, and the field that has it. */
const requests: readonly (readonly [path: string, field: string, more: object])[] = [
  ['/api/v1/channels/moves/3/veto', 'why', {}],
  ['/api/v1/channels/moves/3/approve', 'why', {}],
  ['/api/v1/channels/pin', 'why', { channel: 'stable' }],
  ['/api/v1/channels/promotion', 'why', { from: 'beta', to: 'stable' }],
  ['/api/v1/stacks/boards/suspend', 'why', {}],
]

const bad: readonly (readonly [text: string, rule: string])[] = [
  ['', 'must not be empty.'],
  [' \t ', 'must not be empty.'],
  ['a'.repeat(501), 'must have at most 500 characters.'],
  ['two\nlines', 'must be one line without control characters.'],
  ['\u001b[31mred', 'must be one line without control characters.'],
  ['TEXT', 'must be a reason, not the placeholder TEXT.'],
]

describe.each(requests)('POST %s', (path, field, more) => {
  test.each(bad)('refuses %j', async (text, rule) => {
    const door = openDoor()
    const { status, body } = await door.request('POST', path, { ...more, [field]: text })
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ status: 'usage', code: 'api/invalid', message: `"${field}" ${rule}` })
    expect(door.calls).toEqual([])
  })

  test('takes 500 characters', async () => {
    expect((await openDoor().request('POST', path, { ...more, [field]: 'ä'.repeat(500) })).status).toBe(200)
  })
})

test.each(bad.filter(([text]) => text.trim() !== ''))(
  'a reason that may be left out is refused, too: %j',
  async (why) => {
    const body = { run: '3', why }
    expect((await openDoor().request('POST', '/api/v1/stacks/boards/rollback', body)).status).toBe(422)
    const query = new URLSearchParams({ uninstall: '0'.repeat(12), overrideWindow: 'true', why })
    expect((await openDoor().request('DELETE', `/api/v1/stacks/boards?${query.toString()}`)).status).toBe(400)
  },
)

test('the command line says the same before it asks the agent', async () => {
  const shell = await openTestShell()
  for (const [why, rule] of bad) {
    const { code, stderr } = await shell.type(['channel', 'veto', 'stable', 'latest', '--why', why])
    expect([code, stderr.split('\n')[0]]).toEqual([3, `error: --why ${rule}`])
  }
  expect(shell.calls).toEqual([])
})
