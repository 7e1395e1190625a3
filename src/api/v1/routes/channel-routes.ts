import { z } from '@hono/zod-openapi'
import {
  approvalPreviewSchema,
  channelSchema,
  decidedChannelSchema,
  decidedMoveSchema,
  decisionSchema,
  moveSchema,
  pinPreviewSchema,
  promotedSchema,
  promotionSchema,
  unpinPreviewSchema,
  vetoPreviewSchema,
} from '../../../views/channel.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { toOverride, overrideShape } from '../override-window.js'
import { page } from '../../../views/page.js'
import { pagingShape, trueOrFalse } from '../paging.js'
import { optionalReason, reason } from '../reason.js'
import { listChannels, listDecisions, listMoves } from '../../../channels/channels.js'
import { approveMove, pinChannel, unpinChannel, vetoMove } from '../../../channels/decide-channels.js'
import { previewApproval, previewPin, previewUnpin, previewVeto } from '../../../channels/preview-decisions.js'
import { previewPromotion, promoteTag } from '../../../channels/promote-tag.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

const tag = 'channels'

export const channel = z.string().min(1).max(2_500).describe('`REMOTE#REF`, or `REF` if it is unique.')

const plans = trueOrFalse.optional().describe('Plan the stacks that would move, the first 100. Default: false.')

export function addChannelRoutes(api: Api, call: CallUseCase): void {
  const about = { method: 'get', tag } as const
  const channels = {
    ...about,
    path: '/api/v1/channels',
    operationId: 'listChannels',
    role: 'read',
    summary: 'List the refs that stacks follow.',
    description: 'Each with its released and its newest move, its policy and its pin.',
    query: z.object(pagingShape),
  } as const
  addEndpoint(api, { ...channels, answer: page(channelSchema) }, ({ query }) => call(listChannels, query))

  const ofChannel = z.object({ channel: channel.optional(), ...pagingShape })
  const moves = {
    ...about,
    path: '/api/v1/channels/moves',
    operationId: 'listMoves',
    role: 'read',
    errors: [404, 409],
    summary: 'List the moves of a channel, or of all channels, newest first.',
    description: 'Each with its state, its direction and the facts of its commit. Without `channel`: of all channels.',
  } as const
  addEndpoint(
    api,
    { ...moves, query: ofChannel, answer: page(moveSchema) },
    ({ query: { channel: name, ...paging } }) => call(listMoves, name, paging),
  )

  const decisions = {
    ...about,
    path: '/api/v1/channels/decisions',
    operationId: 'listDecisions',
    role: 'read',
    errors: [404, 409],
    summary: 'List the decisions of people about a channel, or about all channels, newest first.',
    description: 'Vetoes, approvals, pins and unpins, with their reasons. Without `channel`: about all channels.',
  } as const
  addEndpoint(
    api,
    { ...decisions, query: ofChannel, answer: page(decisionSchema) },
    ({ query: { channel: name, ...paging } }) => call(listDecisions, name, paging),
  )
  addVetoRoutes(api, call)
  addApprovalRoutes(api, call)
  addPinRoutes(api, call)
  addUnpinRoutes(api, call)
  addPromotionRoutes(api, call)
}

const ofMove = {
  method: 'post',
  tag,
  params: z.object({ move: z.string().describe('The id of the move.') }),
  answer: decidedMoveSchema,
} as const

function addVetoRoutes(api: Api, call: CallUseCase): void {
  const veto = {
    ...ofMove,
    path: '/api/v1/channels/moves/{move}/veto',
    operationId: 'vetoMove',
    role: 'approve',
    errors: [404, 409],
    summary: 'Veto a move: gitmoor does not apply its commit while the ref points to it.',
    description: 'Stacks that follow the move go back to the commit released before it. Runs in progress finish.',
    body: strictObject({ ...overrideShape, why: reason }),
  } as const
  addEndpoint(api, veto, ({ params, body, by }) =>
    call(vetoMove, params.move, { why: body.why, by, ...toOverride(body) }),
  )

  const vetoPreview = {
    ...ofMove,
    method: 'get',
    path: '/api/v1/channels/moves/{move}/veto',
    operationId: 'previewVeto',
    role: 'read',
    errors: [404, 409],
    summary: 'Preview a veto: which stacks go back, and to which commit.',
    description: 'Decides nothing.',
    answer: vetoPreviewSchema,
  } as const
  addEndpoint(api, vetoPreview, ({ params }) => call(previewVeto, params.move))
}

function addApprovalRoutes(api: Api, call: CallUseCase): void {
  const approve = {
    ...ofMove,
    path: '/api/v1/channels/moves/{move}/approve',
    operationId: 'approveMove',
    role: 'approve',
    errors: [404, 409],
    summary: 'Release a waiting or blocked move, or end a veto.',
    description: 'Its stacks sync to the commit. The policy may still refuse the move.',
    body: strictObject({ why: reason }),
  } as const
  addEndpoint(api, approve, ({ params, body, by }) => call(approveMove, params.move, { ...body, by }))

  const approvalPreview = {
    ...ofMove,
    method: 'get',
    path: '/api/v1/channels/moves/{move}/approve',
    operationId: 'previewApproval',
    role: 'read',
    errors: [404, 409, 502, 504],
    summary: 'Preview an approval: which stacks would move to the commit.',
    description: 'With `plans=true`: what each of them would change.',
    query: z.object({ plans }),
    answer: approvalPreviewSchema,
  } as const
  addEndpoint(api, approvalPreview, ({ params, query: { plans: withPlans = false }, signal }) =>
    call(previewApproval, params.move, { plans: withPlans }, signal),
  )
}

function addPinRoutes(api: Api, call: CallUseCase): void {
  const at = z.string().min(1).max(40).optional().describe('A move or a commit. Default: the released commit.')
  const pinBody = strictObject({ channel, at, why: reason })
  const pin = {
    method: 'post',
    tag,
    path: '/api/v1/channels/pin',
    operationId: 'pinChannel',
    role: 'approve',
    errors: [404, 409, 502, 504],
    summary: 'Pin a channel: all stacks that follow it stay at this commit.',
    description: 'Moves are still recorded, but not followed until the channel is unpinned.',
    body: pinBody,
    answer: decidedChannelSchema,
  } as const
  addEndpoint(api, pin, ({ body: { channel: name, at: place, why }, by, signal }) =>
    call(pinChannel, name, { why, by, ...(place === undefined ? {} : { at: place }) }, signal),
  )

  const pinPreview = {
    method: 'get',
    tag,
    path: '/api/v1/channels/pin',
    operationId: 'previewPin',
    role: 'read',
    errors: [404, 409, 502, 504],
    summary: 'Preview a pin: at which commit the stacks of the channel would stay.',
    description: 'With `plans=true`: what each of them would change.',
    query: z.object({ channel, at, plans }),
    answer: pinPreviewSchema,
  } as const
  addEndpoint(api, pinPreview, ({ query: { channel: name, at: place, plans: withPlans = false }, signal }) =>
    call(previewPin, name, { plans: withPlans, ...(place === undefined ? {} : { at: place }) }, signal),
  )
}

function addUnpinRoutes(api: Api, call: CallUseCase): void {
  const about = { tag, path: '/api/v1/channels/unpin', errors: [404, 409] } as const
  const unpinBody = strictObject({ channel, why: optionalReason.default('') })
  const unpin = {
    ...about,
    method: 'post',
    operationId: 'unpinChannel',
    role: 'approve',
    summary: 'Unpin a channel: its stacks follow the released commit again.',
    description: 'Moves are recorded while a channel is pinned, so none is missed.',
    body: unpinBody,
    answer: decidedChannelSchema,
  } as const
  addEndpoint(api, unpin, ({ body: { channel: name, why }, by }) => call(unpinChannel, name, { why, by }))

  const unpinPreview = {
    ...about,
    method: 'get',
    operationId: 'previewUnpin',
    role: 'read',
    summary: 'Preview the end of a pin: which commit the stacks of the channel would follow.',
    description: 'Decides nothing. A move that the pin blocked may be released, or blocked by the policy.',
    query: z.object({ channel }),
    answer: unpinPreviewSchema,
  } as const
  addEndpoint(api, unpinPreview, ({ query, signal }) => call(previewUnpin, query.channel, signal))
}

/** Of a promotion. */
export const promotionQuery = {
  from: channel,
  to: z.string().min(1).max(2_500).describe('A channel that follows a tag, or the tag itself.'),
}

function addPromotionRoutes(api: Api, call: CallUseCase): void {
  const about = { tag, path: '/api/v1/channels/promotion' } as const
  const shown = {
    ...about,
    method: 'get',
    operationId: 'previewPromotion',
    role: 'read',
    errors: [404, 409, 502, 504],
    summary: 'Preview a promotion: what moving the tag would do.',
    description: 'Polls the repository and writes nothing.',
    query: z.object({ ...promotionQuery, plans }),
    answer: promotionSchema,
  } as const
  addEndpoint(api, shown, ({ query: { plans: withPlans = false, ...preview }, signal }) =>
    call(previewPromotion, preview, { plans: withPlans }, signal),
  )

  const id = z.string().regex(/^[0-9a-f]{40}$/)
  const expects = strictObject({
    commit: id.describe('`commit` of the preview.'),
    object: id.nullable().describe('`before.object` of the preview; null: the tag does not exist.'),
  })
    .optional()
    .describe('From the preview: `commit`, and `object` of `before`. If they changed, nothing is moved (409).')
  const body = strictObject({ ...promotionQuery, why: reason, expects })
  const done = {
    ...about,
    method: 'post',
    operationId: 'promoteTag',
    role: 'approve',
    errors: [404, 409, 502, 504],
    summary: 'Promote: move a tag in the repository to the commit of another ref or channel.',
    description:
      'Pushes the tag with the credentials of the repository, then polls. Stacks follow as for any other move.',
    body,
    answer: promotedSchema,
  } as const
  addEndpoint(api, done, ({ body: { from, to, why, expects: shownThen }, by, signal }) =>
    call(promoteTag, { from, to }, { why, by, ...(shownThen === undefined ? {} : { expects: shownThen }) }, signal),
  )
}
