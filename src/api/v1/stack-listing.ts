// Which stacks a list shows, and in which order.
import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { stackSorts } from '../../model/stacks/stack.js'
import { mostNameCharacters } from '../../settings/setting-forms.js'
import { malformedText, mostSelectorCharacters, parseSelector } from '../../settings/labels.js'
import type { StackListing } from '../../stacks/paging.js'
import { stackRowSchema } from '../../views/stack.js'
import { parseStates, states } from '../../status/status.js'
import { pagingShape, trueOrFalse } from './paging.js'

const selector = z
  .string()
  .max(mostSelectorCharacters)
  .transform((text, context) => {
    const read = parseSelector(text)
    if (!('position' in read)) return read
    context.issues.push({ code: 'custom', input: text, message: malformedText(read) })
    return z.NEVER
  })

/** Of a query or a body; absent: all stacks. */
export const managedBy = stackRowSchema.shape.managedBy.optional().describe('Only stacks with this `managedBy`.')

export const optionalSelector = selector.optional().openapi({
  type: 'string',
  description:
    'Conditions on labels, as in Kubernetes: `team=ops,tier!=test,env,!old`. `!=` includes stacks without it.',
})

/** `failed,needs-approval`: in any case, with `-` or a space. Errors name all states. */
const stateList = z
  .string()
  .max(500)
  .transform((text, context) => {
    const { known, unknown } = parseStates(text)
    if (unknown.length === 0) return known
    const message = `must be states, separated by commas: ${states.join(', ')}`
    context.issues.push({ code: 'custom', input: text, message })
    return z.NEVER
  })
  .optional()
  .openapi({ type: 'string', description: 'Only stacks in one of these states: `Failed,Needs approval`.' })

export const channelName = z.string().min(1).max(2_500)

/** The most names of a list or of a request for several stacks. */
export const mostNames = 100

/** `boards,alerts`. */
export const nameList = z
  .string()
  .max(mostNames * (mostNameCharacters + 1))
  .transform((text) => text.split(','))
  .pipe(z.array(z.string().min(1).max(mostNameCharacters)).max(mostNames))
  .optional()
  .openapi({ type: 'string', description: `Names of stacks, at most ${mostNames}: \`boards,alerts\`.` })

export const stackListingSchema = z.object({
  ...pagingShape,
  sort: z
    .enum(stackSorts)
    .optional()
    .describe(
      'Default `name`. `-`: descending. `lastRun`: when the last run was queued; `lag`: how long the newest revision ' +
        'has not been applied; `needs`: the state. `-needs` begins with failed stacks. `package`: where its sources are.',
    ),
  names: nameList,
  name: z.string().min(1).max(mostNameCharacters).optional().describe('A part of the name.'),
  target: z.string().min(1).max(100).optional().describe('Only stacks of this target.'),
  channel: channelName.optional().describe('Only stacks that follow it: `REMOTE#REF`, or `REF` if it is unique.'),
  path: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only stacks with a source at this path of its repository, or below it.'),
  state: stateList,
  sync: stackRowSchema.shape.sync.optional().describe('Only stacks with this `sync`.'),
  health: stackRowSchema.shape.health.optional().describe('Only stacks with this `health`.'),
  phase: stackRowSchema.shape.phase.optional().describe('Only stacks with this `phase`.'),
  suspended: trueOrFalse.optional().describe('Only suspended stacks, or only others.'),
  managedBy,
  needs: z
    .literal('person')
    .optional()
    .describe(
      'Only stacks that continue only after a person acts, or a new revision or another setting is there; also those ' +
        'that wait for such a stack.',
    ),
  selector: optionalSelector,
})

/** Without keys that are absent. */
export function toStackListing({ state, ...query }: z.output<typeof stackListingSchema>): StackListing {
  return withoutUndefined({ ...query, states: state })
}
