// The schedule and the sync windows of a stack document.
import { z } from 'zod'
import { withoutUndefined } from '../../lib/without-undefined.js'
import type { SyncWindow } from '../../model/stacks/stack.js'
import { checkedText, intervalText } from '../schema/checked-text.js'
import { parseInterval, printInterval } from '../schema/interval.js'
import { cronProblem, scheduleProblem, timeZoneProblem } from '../schedule.js'
import { strictObject } from '../schema/strict-object.js'

const leastDurationMs = 60_000
const greatestDurationMs = 366 * 86_400_000

export const mostWindows = 20

export const schedule = checkedText(scheduleProblem)
export const timeZone = checkedText(timeZoneProblem)

const duration = intervalText('30m, 8h, 2d').refine((value) => durationFits(value), 'must be between 1m and 366d.')

const windowDocument = strictObject({
  kind: z.enum(['allow', 'deny']).describe('`allow`: writes only while it is open; `deny`: none while it is open.'),
  schedule: checkedText(cronProblem).describe('When it begins: a cron expression.'),
  duration: duration.describe('How long it lasts: 30m, 8h, 2d.'),
  timeZone: timeZone.optional().describe('Absent: that of the stack.'),
  reason: z
    .string()
    .regex(/^[^\x00-\x1f\x7f]{0,200}$/, 'must be at most 200 characters, without control characters.')
    .optional()
    .describe('Why it exists, for people.'),
  manual: z.enum(['allow']).optional().describe('Manual commands write during this closed window.'),
})

export const windowsDocument = z.array(windowDocument).max(mostWindows, `must list at most ${mostWindows} windows.`)

/** The windows as the API shows them. */
export const windowsAnswer = z
  .array(
    z.object({
      kind: z.enum(['allow', 'deny']).describe('`allow`: writes only while it is open; `deny`: none while it is open.'),
      schedule: z.string().describe('When it begins: a cron expression.'),
      durationMs: z.int().describe('How long it lasts, in milliseconds.'),
      timeZone: z.string().optional().describe('Absent: that of the stack.'),
      reason: z.string().optional().describe('Why it exists, for people.'),
      manual: z.enum(['allow']).optional().describe('Manual commands write during this closed window.'),
    }),
  )
  .readonly()

export function toSyncWindow({
  kind,
  schedule: begins,
  duration: lasts,
  ...rest
}: z.output<typeof windowDocument>): SyncWindow {
  return { kind, schedule: begins, durationMs: parseInterval(lasts)!, ...withoutUndefined(rest) }
}

export function toWindowDocument({
  kind,
  schedule: begins,
  durationMs,
  ...rest
}: SyncWindow): z.output<typeof windowDocument> {
  return { kind, schedule: begins, duration: printInterval(durationMs), ...rest }
}

function durationFits(value: string): boolean {
  const ms = parseInterval(value)
  return ms === undefined || (ms >= leastDurationMs && ms <= greatestDurationMs)
}
