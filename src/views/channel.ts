// A channel: a ref that stacks follow, its moves, and the decisions of people about them.
import { z } from '@hono/zod-openapi'
import { directions } from '../model/channel.js'
import { planSchema } from './plan.js'
import { blockerSchema } from './status.js'
import { list, orNull, time, versions, type View } from './view.js'

/** What a ref points to. null: it does not exist. */
export const refTipSchema = z.object({ object: z.string(), commit: z.string(), tag: z.string().optional() }).nullable()

const directionText =
  'How it relates to the commit before. `forward`: a descendant; `back`: an ancestor; `diverged`: neither, ' +
  'as after a force-push of rewritten commits; `unknown`: the remote did not send enough of the history;'

const kindSchema = z.enum(['veto', 'approve', 'pin', 'unpin'])
const authoredSchema = z.object({ name: z.string(), email: z.string(), at: time.nullable(), message: z.string() })

export type AuthoredView = View<typeof authoredSchema>

const signatureSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('none') }),
  z.object({ state: z.literal('good'), key: z.string(), by: z.string() }),
  z.object({ state: z.literal('unknown-key'), key: z.string() }),
  z.object({ state: z.literal('bad'), why: z.string() }),
])

export const moveStateSchema = z.enum(['released', 'waiting', 'blocked', 'refused', 'vetoed', 'superseded', 'gone'])

export const moveSchema = z
  .object({
    id: z.string(),
    channel: z.string(),
    from: refTipSchema,
    to: refTipSchema,
    observedAt: time,
    detectedBy: z.enum(['poll', 'webhook', 'person', 'promote']),
    state: moveStateSchema,
    blockedBy: z.enum(['minAge', 'movesPerHour', 'approval', 'pin', 'forward-only', 'signedBy']).nullable(),
    until: time.nullable(),
    direction: z
      .enum(directions)
      .nullable()
      .openapi({ description: `${directionText} null: not read yet, or nothing was released before.` }),
    releasedAt: time.nullable(),
    decision: z.object({ kind: kindSchema, by: z.string(), why: z.string(), at: time }).nullable(),
    facts: z
      .object({
        tag: authoredSchema.extend({ tag: z.string() }).nullable(),
        commit: authoredSchema,
        signature: signatureSchema,
      })
      .nullable(),
  })
  .openapi('ChannelMove', {
    description:
      '`object`: the tag object of an annotated tag, else the commit. ' +
      '`tag`: the chosen tag, if the ref is a version range. null: the ref did not exist.',
  })

export type MoveView = View<typeof moveSchema>

const movedSchema = list(
  z.object({
    stack: z.string(),
    run: z.string(),
    revision: z.string(),
    versions,
    suspended: z.literal(true).optional().openapi({ description: 'The run starts when the stack is resumed.' }),
  }),
).openapi({ description: 'The stacks that the decision moves, each with its run and its new revision.' })

export const decidedMoveSchema = z
  .object({ ...moveSchema.shape, moved: movedSchema })
  .openapi('DecidedMove', { description: 'A move after a decision, and the stacks that the decision moves.' })

export type DecidedMoveView = View<typeof decidedMoveSchema>
export type MovedStackView = DecidedMoveView['moved'][number]

export const vetoPreviewSchema = z
  .object({
    move: moveSchema,
    commit: z.string().nullable().openapi({
      description: 'What the stacks go back to. null: no stack follows the move, or none was released before it.',
    }),
    stacks: list(z.string()).openapi({ description: 'The stacks that follow the commit of the move.' }),
  })
  .openapi('VetoPreview', { description: 'What a veto would do.' })

export type VetoPreview = View<typeof vetoPreviewSchema>

const stackPlanSchema = z.object({ stack: z.string(), plan: planSchema.optional(), problem: z.string().optional() })

const stackPlansSchema = list(stackPlanSchema).optional().openapi({
  description: 'With `plans=true`: what the first 10 stacks would change, or why that cannot be planned.',
})

/** The plan of a stack at another commit, or why there is none. */
export type StackPlanView = View<typeof stackPlanSchema>

export const pinPreviewSchema = z
  .object({
    channel: z.string().openapi({ description: '`REMOTE#REF`.' }),
    commit: z.string().openapi({ description: 'Where the stacks would stay.' }),
    stacks: list(z.string()).openapi({ description: 'The stacks that follow the channel.' }),
    plans: stackPlansSchema,
  })
  .openapi('PinPreview', { description: 'What pinning a channel would do.' })

export type PinPreview = View<typeof pinPreviewSchema>

export const promotionSchema = z
  .object({
    remote: z.string(),
    tag: z.string(),
    from: z.string(),
    fromCommit: z.string().openapi({
      description:
        'What `from` points to in the repository now. It differs from `commit` if `from` is a channel ' +
        'that is pinned, or whose newest move is not released.',
    }),
    before: refTipSchema,
    commit: z.string().openapi({ description: 'What is promoted.' }),
    direction: z
      .enum(directions)
      .nullable()
      .openapi({ description: `${directionText} null: the tag is new, or at the commit already.` }),
    stacks: list(z.string()).openapi({ description: 'The stacks that follow the tag.' }),
    plans: stackPlansSchema,
  })
  .openapi('Promotion', { description: 'What moving a tag to another commit would do.' })

export type PromotionView = View<typeof promotionSchema>

export const promotedSchema = z
  .object({
    ...promotionSchema.shape,
    object: z.string(),
    runs: list(z.string()),
    already: z.literal(true).optional().openapi({ description: 'The tag was there before. Nothing was pushed.' }),
  })
  .openapi('Promoted', { description: 'A tag that was moved. `object`: what it points to now; `runs`: what followed.' })

export type PromotedView = View<typeof promotedSchema>

export const channelSchema = z
  .object({
    name: z.string(),
    remote: z.string(),
    ref: z.string(),
    commit: z.string().nullable(),
    tag: z.string().nullable().openapi({ description: 'The chosen tag, if the ref is a version range.' }),
    stacks: list(z.string()),
    observedAt: time,
    released: orNull(moveSchema).openapi({ description: 'What stacks follow, unless the channel is pinned.' }),
    newest: orNull(moveSchema),
    pin: z.object({ commit: z.string(), by: z.string(), why: z.string(), at: time }).nullable(),
    policy: z.object({
      moves: z.enum(['any', 'approve-back', 'forward-only']),
      minAge: z.string(),
      movesPerHour: z.int().nullable(),
      signedBy: list(z.string()).nullable(),
    }),
    blocker: orNull(blockerSchema),
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
    id: z.string(),
    kind: kindSchema,
    move: z.string().nullable(),
    commit: z.string().nullable(),
    by: z.string(),
    why: z.string(),
    at: time,
  })
  .openapi('ChannelDecision', { description: 'What a person decided about a channel.' })

export type DecisionView = View<typeof decisionSchema>
