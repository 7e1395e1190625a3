// A channel: a ref that stacks follow, its moves, and the decisions of people about them.
import { z } from '@hono/zod-openapi'
import { directions } from '../model/sources/channel.js'
import { authoredSchema } from './commit.js'
import { errorBodySchema } from './errors/error.js'
import { page } from './page.js'
import { linksSchema } from './links.js'
import { planSchema } from './plan.js'
import { blockerSchema } from './status.js'
import { list, orNull, time, versions, type View } from './view.js'

/** What a ref points to. null: it does not exist. */
export const refTipSchema = z
  .object({
    object: z.string().describe('The tag object of an annotated tag, else the commit.'),
    commit: z.string().describe('40 hex digits.'),
    tag: z.string().optional().describe('The chosen tag, if the ref is a version range.'),
  })
  .nullable()

const directionText =
  'How it relates to the commit before. `forward`: a descendant; `back`: an ancestor; `diverged`: neither, ' +
  'as after a force-push of rewritten commits; `unknown`: the remote did not send enough of the history;'

const kindSchema = z.enum(['veto', 'approve', 'pin', 'unpin']).describe('What was decided.')

const signatureSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('none').describe('Not signed.') }),
  z.object({
    state: z.literal('good').describe('Signed with a key of the configuration file.'),
    key: z.string().describe('The fingerprint of the key.'),
    by: z.string().describe('The name of the key in the configuration file.'),
  }),
  z.object({
    state: z.literal('unknown-key').describe('Signed with another key.'),
    key: z.string().describe('The fingerprint of the key.'),
  }),
  z.object({
    state: z.literal('bad').describe('The signature does not match.'),
    why: z.string().describe('What is wrong with it.'),
  }),
])

export const moveStateSchema = z
  .enum(['released', 'waiting', 'blocked', 'refused', 'vetoed', 'superseded', 'gone'])
  .describe('`waiting`: until a time; `blocked`: until a person decides; `superseded`: the ref moved again before.')

export const moveSchema = z
  .object({
    id: z.string().describe('Decimal; a later move of any channel has a greater one.'),
    channel: z.string().describe('`REMOTE#REF`.'),
    from: refTipSchema.describe('What the ref pointed to; null: it did not exist.'),
    to: refTipSchema.describe('What the ref points to; null: it was deleted.'),
    observedAt: time.describe('When it was detected: RFC 3339, UTC.'),
    detectedBy: z.enum(['poll', 'webhook', 'person', 'promote']).describe('How it was detected.'),
    state: moveStateSchema,
    blockedBy: z
      .enum(['minAge', 'movesPerHour', 'approval', 'pin', 'forward-only', 'signedBy'])
      .nullable()
      .describe('The rule that keeps it from being released; null: none.'),
    until: time.nullable().describe('The earliest release: RFC 3339, UTC; null: no time is known.'),
    direction: z
      .enum(directions)
      .nullable()
      .describe(`${directionText} null: not read yet, or nothing was released before.`),
    releasedAt: time.nullable().describe('When stacks began to follow it; null: they did not.'),
    decision: z
      .object({
        kind: kindSchema,
        by: z.string().describe('The person or program that decided.'),
        why: z.string().describe('The given reason.'),
        at: time.describe('RFC 3339, UTC.'),
      })
      .nullable()
      .describe('The last decision of a person; null: none.'),
    facts: z
      .object({
        tag: authoredSchema
          .extend({ tag: z.string().describe('The name of the tag.') })
          .nullable()
          .describe('The annotated tag; null: there is none.'),
        commit: authoredSchema.describe('The author and message of the commit.'),
        signature: signatureSchema.describe('Of the tag if it is annotated, else of the commit.'),
      })
      .nullable()
      .describe('What the commit and its tag say about themselves; null: not read yet.'),
  })
  .openapi('ChannelMove', {
    description:
      '`object`: the tag object of an annotated tag, else the commit. ' +
      '`tag`: the chosen tag, if the ref is a version range. null: the ref did not exist.',
  })

export type MoveView = View<typeof moveSchema>

const movedSchema = list(
  z.object({
    stack: z.string().describe('The name of the stack.'),
    run: z.string().describe('The id of its run.'),
    revision: z.string().describe('The revision of the run.'),
    versions,
    suspended: z.literal(true).optional().describe('The run starts when the stack is resumed.'),
  }),
).describe('The stacks that move, each with its run and its new revision.')

export const decidedMoveSchema = z
  .object({
    ...moveSchema.shape,
    moved: movedSchema,
    stay: list(z.string())
      .optional()
      .describe('The stacks that keep the vetoed commit, because none was released before it. Absent: none does.'),
  })
  .openapi('DecidedMove', { description: 'A move after a decision, and the stacks that the decision moves.' })

export type DecidedMoveView = View<typeof decidedMoveSchema>
export type MovedStackView = DecidedMoveView['moved'][number]

export const vetoPreviewSchema = z
  .object({
    move: moveSchema,
    commit: z
      .string()
      .nullable()
      .describe('What the stacks go back to. null: no stack follows the move, or none was released before it.'),
    stacks: list(z.string()).describe('The stacks that follow the commit of the move.'),
  })
  .openapi('VetoPreview', { description: 'What a veto would do.' })

export type VetoPreview = View<typeof vetoPreviewSchema>

const stackPlanSchema = z.object({
  stack: z.string().describe('The name of the stack.'),
  plan: planSchema.optional().describe('Of the first 10 stacks, if they can be planned.'),
  error: errorBodySchema.optional().describe('Why there is no plan.'),
  leaves: z
    .string()
    .optional()
    .describe('The fleet that suspends the stack there, because the commit has no package at its path.'),
})

const stackPlansSchema = list(stackPlanSchema)
  .optional()
  .describe(
    'With `plans=true`: one for each planned stack, at most 100. What it would change, or why that cannot be planned.',
  )

export const plannedStackSchema = z
  .object({
    ...stackPlanSchema.shape,
    plan: planSchema.optional().describe('What the stack would change; absent: it cannot be planned, or it leaves.'),
  })
  .openapi('PlannedStack', { description: 'The plan of a stack at another commit, or why there is none.' })

export type PlannedStackView = View<typeof plannedStackSchema>

export const promotionPlansSchema = page(plannedStackSchema).extend({
  commit: z.string().describe('What would be promoted.'),
  total: z.int().describe('The number of stacks that follow the tag; 0: the tag is at the commit already.'),
})

export type PromotionPlans = View<typeof promotionPlansSchema>

/** The plan of a stack at another commit, or why there is none. */
export type StackPlanView = View<typeof stackPlanSchema>

export const pinPreviewSchema = z
  .object({
    channel: z.string().describe('`REMOTE#REF`.'),
    commit: z.string().describe('Where the stacks would stay.'),
    stacks: list(z.string()).describe('The stacks that follow the channel.'),
    plans: stackPlansSchema,
  })
  .openapi('PinPreview', { description: 'What pinning a channel would do.' })

export type PinPreview = View<typeof pinPreviewSchema>

export const unpinPreviewSchema = z
  .object({
    channel: z.string().describe('`REMOTE#REF`.'),
    pinned: z.string().describe('The commit of the pin.'),
    commit: z.string().nullable().describe('What the stacks would follow. null: the ref was deleted, so they stay.'),
    stacks: list(z.string()).describe('The stacks that follow the channel.'),
    blocker: orNull(blockerSchema).describe('Why they would not follow the newest move; null: they would.'),
  })
  .openapi('UnpinPreview', { description: 'What unpinning a channel would do.' })

export type UnpinPreview = View<typeof unpinPreviewSchema>

export const approvalPreviewSchema = z
  .object({
    move: moveSchema,
    stacks: list(z.string()).describe('The stacks that follow the channel of the move. None, if its ref was deleted.'),
    plans: stackPlansSchema,
  })
  .openapi('ApprovalPreview', { description: 'What approving a move would do.' })

export type ApprovalPreview = View<typeof approvalPreviewSchema>

export const promotionSchema = z
  .object({
    remote: z.string().describe('The address of the repository, without credentials.'),
    links: linksSchema.optional(),
    tag: z.string().describe('The tag to move.'),
    from: z.string().describe('The ref or channel that the tag moves to.'),
    fromCommit: z
      .string()
      .describe(
        'What `from` points to in the repository now. It differs from `commit` if `from` is a channel ' +
          'that is pinned, or whose newest move is not released.',
      ),
    before: refTipSchema.describe('What the tag points to now; null: it does not exist.'),
    commit: z.string().describe('What is promoted.'),
    direction: z
      .enum(directions)
      .nullable()
      .describe(`${directionText} null: the tag is new, or at the commit already.`),
    stacks: list(z.string()).describe('The stacks that follow the tag.'),
    plans: stackPlansSchema,
  })
  .openapi('Promotion', { description: 'What moving a tag to another commit would do.' })

export type PromotionView = View<typeof promotionSchema>

export const promotedSchema = z
  .object({
    ...promotionSchema.shape,
    object: z.string().describe('What the tag points to now: 40 hex digits.'),
    moved: movedSchema,
    blockers: list(blockerSchema).describe('Why stacks do not follow the commit yet, such as a rule of the policy.'),
    already: z.literal(true).optional().describe('The tag was there before. Nothing was pushed.'),
  })
  .openapi('Promoted', {
    description: 'A tag that was moved. `object`: what it points to now; `moved`: the runs that follow.',
  })

export type PromotedView = View<typeof promotedSchema>

export const channelSchema = z
  .object({
    name: z.string().describe('`REMOTE#REF`.'),
    remote: z.string().describe('The address of the repository, without credentials.'),
    links: linksSchema.optional(),
    ref: z.string().describe('A branch, a tag, or `semver:` and a range.'),
    kind: z
      .enum(['branch', 'tag', 'range'])
      .nullable()
      .describe('`range`: of versions; null: another ref, or not known.'),
    commit: z.string().nullable().describe('What the ref points to; null: it does not exist.'),
    tag: z.string().nullable().describe('The chosen tag, if the ref is a version range.'),
    stacks: list(z.string()).describe('The names of the stacks that follow it.'),
    observedAt: time.describe('When its present target was detected: RFC 3339, UTC.'),
    released: orNull(moveSchema).describe('What stacks follow, unless the channel is pinned.'),
    newest: orNull(moveSchema).describe('The newest move that is not a deletion.'),
    pin: z
      .object({
        commit: z.string().describe('Where it stays.'),
        by: z.string().describe('The person or program that pinned it.'),
        why: z.string().describe('The given reason.'),
        at: time.describe('RFC 3339, UTC.'),
      })
      .nullable()
      .describe('null: it is not pinned.'),
    policy: z
      .object({
        moves: z.enum(['any', 'approve-back', 'forward-only']).describe('Which moves stacks may follow.'),
        minAge: z.string().describe('How old a move must be: `0s`, `15m`, `24h`.'),
        movesPerHour: z.int().nullable().describe('null: any number.'),
        signedBy: list(z.string())
          .nullable()
          .describe('Names of keys, one of which must have signed; null: no signature is required.'),
      })
      .describe('The rules for its moves.'),
    blocker: orNull(blockerSchema).describe('Why stacks do not follow the newest move; null: they do.'),
  })
  .openapi('Channel', { description: 'A ref that stacks follow.' })

export type ChannelView = View<typeof channelSchema>

export const decidedChannelSchema = z
  .object({ ...channelSchema.shape, moved: movedSchema })
  .openapi('DecidedChannel', { description: 'A channel after a decision, and the stacks that the decision moves.' })

export type DecidedChannelView = View<typeof decidedChannelSchema>
export type PolicyView = ChannelView['policy']

export const decisionSchema = z
  .object({
    id: z.string().describe('Decimal; a later decision has a greater one.'),
    channel: z.string().describe('`REMOTE#REF`.'),
    kind: kindSchema,
    move: z.string().nullable().describe('The id of the move; null: it is about the channel.'),
    commit: z.string().nullable().describe('The pinned commit; null: it is no pin.'),
    by: z.string().describe('The person or program that decided.'),
    why: z.string().describe('The given reason.'),
    at: time.describe('RFC 3339, UTC.'),
  })
  .openapi('ChannelDecision', { description: 'What a person decided about a channel.' })

export type DecisionView = View<typeof decisionSchema>
