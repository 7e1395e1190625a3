// Examples of channels, webhooks and events.
import type { ChannelView, DecisionView, MoveView, PromotionView } from '../../../views/channel.js'
import type { MessageView, ReceiverView } from '../../../views/notification.js'
import type { DeliveryView, WebhookView } from '../../../views/webhook.js'
import { plan, runRow } from './run-examples.js'

const remote = 'https://git.example/boards'
const commit = '2f1c9ab7e0d5b6a1c3f48e9d7b60a2c5e8f91d34'
const before = '81d0c3e5a7b9c1d3e5f70a2b4c6d8e0f1a3b5c7d'
const at = '2026-11-21T04:00:00.000Z'

export const move: MoveView = {
  id: '3',
  channel: `${remote}#stable`,
  from: { object: before, commit: before },
  to: { object: commit, commit },
  observedAt: at,
  detectedBy: 'webhook',
  state: 'released',
  blockedBy: null,
  until: null,
  direction: 'forward',
  releasedAt: at,
  decision: null,
  facts: null,
}

const blockedMove: MoveView = {
  ...move,
  state: 'blocked',
  blockedBy: 'approval',
  direction: 'back',
  releasedAt: null,
}

export const channel: ChannelView = {
  name: `${remote}#stable`,
  remote,
  ref: 'stable',
  kind: 'tag',
  commit,
  tag: null,
  stacks: ['boards'],
  observedAt: at,
  released: move,
  newest: move,
  pin: null,
  policy: { moves: 'any', minAge: '0s', movesPerHour: null, signedBy: null },
  blocker: null,
}

export const decision: DecisionView = {
  id: '1',
  channel: `${remote}#stable`,
  kind: 'veto',
  move: '3',
  commit: null,
  by: 'ann',
  why: 'the CPU chart is wrong',
  at,
}

const promotion: PromotionView = {
  remote,
  tag: 'stable',
  from: 'beta',
  fromCommit: commit,
  before: { object: before, commit: before },
  commit,
  direction: 'forward',
  stacks: ['boards'],
}

const delivery: DeliveryView = {
  id: '7',
  at,
  key: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  changes: [{ ref: 'refs/tags/stable', commit }],
  tookMs: 84,
  hook: 'github',
  event: 'push',
  remotes: [remote],
  result: 'moved',
  message: 'The remote changed.',
  runs: [{ stack: 'boards', run: '12', outcome: 'applied' }],
}

const webhook: WebhookView = {
  name: 'github',
  provider: 'github',
  path: '/hooks/github',
  remotes: ['https://git.example/'],
  last: delivery,
  proven: [remote],
  refused: 0,
}

const message: MessageView = {
  id: '42',
  key: '0f8fad5b-d9cb-469f-a165-70867728950e',
  receiver: 'ops',
  kind: 'notification',
  state: 'sent',
  title: 'boards failed',
  createdAt: at,
  dueAt: null,
  attempts: 1,
  endedAt: at,
  status: 200,
  error: '',
  counts: { failed: 1 },
  commit: null,
}

const receiver: ReceiverView = {
  name: 'ops',
  type: 'slack',
  on: ['failed', 'recovered'],
  stacks: [],
  match: null,
  pending: 0,
  last: message,
}

const { id, at: _at, key: _key, changes: _changes, tookMs: _tookMs, ...delivered } = delivery
const why = { why: 'the CPU chart is wrong' }
const moved = [{ stack: 'boards', run: '13', revision: `stable@sha1:${commit}` }]

const written = { id: commit, name: 'ann', email: 'ann@example.com', at, message: 'Add the CPU chart' }
const links = {
  commit: 'https://github.com/acme/boards/commit/{commit}',
  compare: 'https://github.com/acme/boards/compare/{from}...{to}',
}

export const channelExamples = {
  ChannelMove: move,
  ChannelMovePage: { items: [move], next: null },
  DecidedMove: { ...move, moved },
  DecidedChannel: { ...channel, moved },
  Channel: channel,
  ChannelPage: { items: [channel], next: null },
  ChannelDecision: decision,
  ChannelDecisionPage: { items: [decision], next: null },
  VetoMoveRequest: why,
  ApproveMoveRequest: why,
  PinChannelRequest: { channel: 'stable', at: '3', why: 'the audit' },
  UnpinChannelRequest: { channel: 'stable' },
  PinPreview: { channel: channel.name, commit: before, stacks: ['boards'] },
  UnpinPreview: { channel: channel.name, pinned: before, commit, stacks: ['boards'], blocker: null },
  ApprovalPreview: { move: blockedMove, stacks: ['boards'] },
  VetoPreview: { move, commit: before, stacks: ['boards'] },
  Promotion: promotion,
  PlannedStack: { stack: 'boards', plan },
  PlannedStackPage: { commit, items: [{ stack: 'boards', plan }], next: null, total: 1 },
  CommitLinks: links,
  Commit: written,
  CommitRange: { items: [written], more: false, links },
  Promoted: { ...promotion, object: commit, moved, blockers: [] },
  PromoteTagRequest: {
    from: 'beta',
    to: 'stable',
    why: 'a week without a problem',
    expects: { commit, object: before },
  },
  Delivery: delivery,
  DeliveryPage: { items: [delivery], next: null },
  DeliveryAnswer: { delivery: id, ...delivered },
  Message: message,
  MessagePage: { items: [message], next: null },
  Receiver: receiver,
  ReceiverPage: { items: [receiver], next: null },
  Webhook: webhook,
  WebhookPage: { items: [webhook], next: null },
  WebhookTest: { webhook, sent: { repository: remote, ref: 'refs/tags/stable', commit }, delivery },
  TestWebhookRequest: { ref: 'refs/tags/stable' },
  Event: { type: 'run.ended', at, stack: 'boards', run: runRow, channel: null, resource: null },
}
