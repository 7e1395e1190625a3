// How `gitmoor explain NAME ADDRESS` prints the drift of the resource.
import { describe, expect, test } from 'vitest'
import { resourceDetailLines } from '../../../src/cli/text/resource-explanation-text.js'
import { plainStyle, type Display } from '../../../src/cli/text/text.js'
import type { ResourceDrift } from '../../../src/views/explanation.js'
import { sampleDetail } from '../../api/sample-views.js'

const pipe: Display = { style: plainStyle, width: undefined, now: 0 }

function driftLines(drift: ResourceDrift | undefined, display = pipe): readonly string[] {
  const { drift: _, ...detail } = sampleDetail
  return resourceDetailLines({ ...detail, ...(drift === undefined ? {} : { drift }) }, display, '')
    .filter((line) => line.startsWith('drift:'))
    .map((line) => line.replace(/^drift: +/, ''))
}

describe('a resource', () => {
  test('shows each field that differs on its target', () => {
    const fields = [
      { path: 'description', applied: '', actual: 'handmade' },
      { path: 'charts[1]', actual: 'CPU' },
      { path: 'token', applied: '(secret 1a2b)', actual: '(secret 3c4d)' },
    ]
    expect(driftLines({ gone: false, fields })).toEqual([
      'description: "" → "handmade" on the target',
      'charts[1]: (none) → "CPU" on the target',
      'token: (secret 1a2b) → (secret 3c4d) on the target',
    ])
  })

  test('shows the first fields on a terminal, and how many more differ', () => {
    const fields = Array.from({ length: 20 }, (_, at) => ({ path: `f${at}`, applied: 1, actual: 2 }))
    const lines = driftLines({ gone: false, fields }, { ...pipe, width: 80 })
    expect(lines).toHaveLength(13)
    expect(lines.at(-1)).toBe('… and 8 more fields')
  })

  test('shows that it is gone from the target', () => {
    expect(driftLines({ gone: true, fields: [] })).toEqual(['it is gone from the target'])
  })

  test('has no such line if it is as applied', () => {
    expect(driftLines({ gone: false, fields: [] })).toEqual([])
  })

  test('shows that it was not compared, if its target could not be read', () => {
    expect(driftLines(undefined)).toEqual(['not compared: its target could not be read.'])
    const { drift: _, ...detail } = sampleDetail
    const lines = resourceDetailLines({ ...detail, driftUnknown: 'The target is down.' }, pipe, '')
    expect(lines).toContainEqual(
      expect.stringMatching(/^drift: +not compared: its target could not be read. The target is down.$/),
    )
  })
})
