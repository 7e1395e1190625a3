// What `stack create` prints of the first run of a stack.
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/model/address.js'
import { createdLines } from '../../../src/cli/text/run-text.js'
import { plainStyle, type Display } from '../../../src/cli/text/text.js'
import { samplePlan, sampleRun } from '../../api/sample-views.js'

const displays: Readonly<Record<string, Display>> = {
  'a pipe': { style: plainStyle, width: undefined, now: 0 },
  'a terminal': { style: plainStyle, width: 80, now: 0 },
}
const [change] = samplePlan.changes
const changes = Array.from({ length: 20 }, (_, at) => {
  const { partOf: _part, ...rest } = change!
  return { ...rest, address: `Bucket/b${at}` as Address, action: at < 2 ? ('update' as const) : ('create' as const) }
})
const plan = { ...samplePlan, changes, needsApproval: [], counts: { create: 18, update: 2, remove: 0, unchanged: 0 } }
const run = { ...sampleRun, plan, changes: plan.counts, outcome: 'applied' as const, phase: 'done' as const }

describe.each(Object.entries(displays))('on %s', (_, display) => {
  test('an applied run is its counts, and where its changes are', () => {
    expect(createdLines(run, 'boards', display)).toEqual([
      expect.stringMatching(
        /^boards: applied stable@2f1c9ab in \S+ s\. 18 created, 2 updated, 0 removed, 0 unchanged\.$/,
      ),
      '  next: See its resources: gitmoor stack get boards',
      '  next: See every change: gitmoor history boards 12',
    ])
  })

  test('adopted resources are named', () => {
    const adopting = (count: number): readonly string[] => {
      const adopted = changes.map((one, at) => (at < count ? { ...one, adopts: true as const } : one))
      return createdLines({ ...run, plan: { ...plan, changes: adopted } }, 'boards', display)
    }
    expect(adopting(1)).toContain('Adopts Bucket/b0, which existed.')
    expect(adopting(2)).toContain('Adopts 2 resources, which existed: Bucket/b0, Bucket/b1.')
    expect(adopting(7)).toContain(
      'Adopts 7 resources, which existed: Bucket/b0, Bucket/b1, Bucket/b2, Bucket/b3, Bucket/b4, and 2 more.',
    )
  })

  test('a plan that needs approval is its counts, the reasons and the commands', () => {
    const needsApproval = [{ rule: 'approval' as const, message: 'This stack applies changes only after approval.' }]
    const waiting = {
      ...run,
      plan: { ...plan, needsApproval },
      outcome: 'needs-approval' as const,
      phase: 'needs-approval' as const,
    }
    const digest = plan.digest.slice(0, 12)
    expect(createdLines(waiting, 'boards', display)).toEqual([
      'boards at stable@2f1c9ab on target local',
      `18 to create, 2 to update, 0 to remove, 0 unchanged.  digest ${digest}`,
      '',
      'This plan needs approval. gitmoor applies nothing until you approve it:',
      '  ! approval: This stack applies changes only after approval.',
      `  next: gitmoor approve boards ${digest}`,
      '  next: See every change first: gitmoor plan boards',
    ])
  })
})
