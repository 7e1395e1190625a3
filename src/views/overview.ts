// All stacks at a glance: counts, the stacks that need attention, channels, and what happened last.
import { z } from '@hono/zod-openapi'
import { states, type State } from '../status/status.js'
import { channelSchema, decisionSchema } from './channel.js'
import { page } from './page.js'
import { stackRunRowSchema } from './run.js'
import { stackRowSchema } from './stack.js'
import { list, orNull, time, type View } from './view.js'

const count = z.int().describe('The number of stacks.')
export const countsByState = z
  .object(Object.fromEntries(states.map((state) => [state, count])) as Record<State, typeof count>)
  .openapi('StateCounts', { description: 'The number of stacks in each state.' })

const { stacks: _stacks, ...channelShape } = channelSchema.shape
const channelSummarySchema = z
  .object({ ...channelShape, followers: z.int().describe('The number of stacks that follow it.') })
  .openapi('ChannelSummary', { description: 'A channel with the number of the stacks that follow it.' })

export type ChannelSummary = View<typeof channelSummarySchema>

const activitySchema = z
  .object({
    at: time.describe('When it happened: RFC 3339, UTC.'),
    run: orNull(stackRunRowSchema).describe('A run that ended; null: it is a decision.'),
    decision: orNull(decisionSchema).describe('A decision about a channel; null: it is a run.'),
  })
  .openapi('Activity', { description: 'A run that ended, or a decision of a person.' })

const overviewGroupSchema = z
  .object({ target: z.string().describe('The name of the target.'), counts: countsByState })
  .openapi('OverviewGroup', { description: 'The stacks of a target, by their states.' })

export type OverviewGroup = View<typeof overviewGroupSchema>

export const overviewSchema = z
  .object({
    total: z.int().describe('The number of stacks.'),
    counts: countsByState,
    attention: z.int().describe('The number of stacks that are Failed, Needs approval, Drifted or Degraded.'),
    needsAttention: list(stackRowSchema).describe(
      'The first 20 of them: by state, then those whose last run is the oldest.',
    ),
    channels: list(channelSummarySchema).describe('The first 100 channels, by name.'),
    activity: list(activitySchema).describe('The last 10 runs and decisions. Runs that changed nothing are left out.'),
    targets: list(overviewGroupSchema).optional().describe('With `group=target`: the stacks of each target.'),
  })
  .openapi('Overview', { description: 'All stacks at a glance.' })

export type OverviewView = View<typeof overviewSchema>

const cellSchema = z.object({
  target: z.string().describe('The name of the target.'),
  stacks: z.int().describe('How many stacks bind the package to the target.'),
  stack: z.string().nullable().describe('The name of the stack, if there is one; null: there are several.'),
  worst: z.enum(states).describe('The first state, in the order of all states, of one of the stacks.'),
  commits: list(z.string()).describe('The applied commits or digests, at most 5, those of the most stacks first.'),
  commitCount: z.int().describe('How many there are.'),
})

export type MatrixCell = View<typeof cellSchema>

const matrixRowSchema = z
  .object({
    package: z.string().describe('The locations of its sources: `URL//PATH`.'),
    cells: list(cellSchema).describe('One for each target on which it is, by name.'),
  })
  .openapi('MatrixRow', { description: 'A package, and the targets on which it is.' })

export const matrixSchema = page(matrixRowSchema).extend({
  columns: list(z.string()).describe('The names of all targets with stacks.'),
  total: z.int().describe('The number of packages on all pages.'),
})

export type MatrixPage = View<typeof matrixSchema>
