import { z } from '@hono/zod-openapi'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  approvalPreviewSchema,
  channelSchema,
  promotionPlansSchema,
  decisionSchema,
  moveSchema,
  decidedChannelSchema,
  decidedMoveSchema,
  promotedSchema,
  promotionSchema,
  pinPreviewSchema,
  unpinPreviewSchema,
  vetoPreviewSchema,
} from '../../../src/views/channel.js'
import { commitRangeSchema } from '../../../src/views/commit.js'
import { fleetDocument, toFleetSpec, type FleetDocument } from '../../../src/settings/documents/fleet-document.js'
import { fleetChangeSchema, fleetPlanSchema, fleetRowSchema, fleetSchema } from '../../../src/views/fleet.js'
import { page } from '../../../src/views/page.js'
import { matrixSchema, overviewSchema } from '../../../src/views/overview.js'
import { bulkSchema } from '../../../src/views/bulk.js'
import { importSchema } from '../../../src/views/packages/import.js'
import { unmanagedSchema } from '../../../src/views/packages/unmanaged.js'
import { discoverySchema } from '../../../src/views/packages/discovery.js'
import { exportSchema } from '../../../src/views/packages/export.js'
import { fieldChangeSchema, planSchema } from '../../../src/views/plan.js'
import { resourceSchema } from '../../../src/views/resource.js'
import { requestedSyncsSchema } from '../../../src/views/requested-sync.js'
import { configurationPageSchema } from '../../../src/views/configuration.js'
import { runEventsSchema } from '../../../src/views/run-events.js'
import {
  runComparisonSchema,
  appliedSchema,
  runRowSchema,
  runSchema,
  deletedStackSchema,
  stackRunRowSchema,
  taggedRunSchema,
} from '../../../src/views/run.js'
import { diagnosisSchema } from '../../../src/views/diagnosis.js'
import {
  explainedResourceSchema,
  explanationSchema,
  resourceDetailSchema,
  driftSchema,
  stackResourceSchema,
} from '../../../src/views/explanation.js'
import { stackPageSchema, stackRowSchema, stackSchema } from '../../../src/views/stack.js'
import { targetSchema, targetTestSchema } from '../../../src/views/target.js'
import { routePath } from '../../../src/api/v1/endpoint.js'
import type { CallUseCase } from '../../../src/webhooks/call-use-case.js'
import { plain } from '../../plain/under-test.js'
import { openDoor } from '../request-api.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { inMemory } from '../../e2e/hosting.js'
import { never, World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { sampleRun } from '../sample-views.js'

interface Case {
  /** What exists before the request, beside `boards`. The result is added to what is known. */
  readonly given?: (at: Known) => Promise<Partial<Known>>
  readonly route: string
  readonly body?: (at: Known) => unknown
  readonly schema: z.ZodType
  readonly verb: string
  readonly args: (at: Known) => readonly unknown[]
  readonly status?: number
}

/** The values of names in a route, such as `RUN`. */
interface Known {
  /** The first run of `boards`, which follows the tag `stable`. */
  readonly RUN: string
  /** The newest move of `stable`, and its commit. */
  readonly MOVE: string
  readonly commit: string
  /** `REMOTE#stable`, encoded. */
  readonly CHANNEL: string
  readonly url: string
  readonly DIGEST: string
  readonly revision: string
  /** The tag object of `stable`, for a promotion. */
  readonly object: string
  /** The id of `Bucket/raw`. */
  readonly BUCKET: string
}

let opened: World | undefined
const world = (): World => opened!

async function openWorld(): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-routes-')))
  writeNewDataDirectory(root)
  opened = new World(root, plain, await inMemory())
  await opened.start({ source: { mayPush: () => true } })
}

async function closeWorld(): Promise<void> {
  await opened?.close()
  if (opened !== undefined) rmSync(opened.root, { recursive: true, force: true })
}

const stack = '/api/v1/stacks/boards'

/** A fleet of the folder `boards`. */
function fleetOf(url: string): FleetDocument {
  return { name: 'teams', directories: { repo: url, name: 'team-{path}' } }
}

async function applied({ url }: Known): Promise<Partial<Known>> {
  await world().ask.applyFleet(toFleetSpec(fleetDocument.parse(fleetOf(url))), { name: 'teams' }, never)
  return {}
}
const two = yaml(label('red'), bucket('raw', { every: 3600 }))
const three = yaml(label('red'), bucket('raw', { every: 3600 }), label('blue'))

/** A stack with two runs of a tag that moved once, and a tag `beta` at the newer commit. */
async function prepare(): Promise<Known> {
  await world().repository.commit({
    files: { 'package.yml': two, 'boards/labels.yml': label('green') },
    tags: ['stable'],
  })
  const { id } = await world().create('boards', { ref: 'stable' })
  const commit = await world().push(three, 'stable', 'beta')
  await world().sync('boards')
  const [move] = (await world().ask.listMoves('stable', {})).items
  const BUCKET = (await world().live())['Bucket/raw']!.id
  const CHANNEL = encodeURIComponent(`${world().url}#stable`)
  return {
    RUN: id,
    MOVE: move!.id,
    commit,
    CHANNEL,
    url: world().url,
    DIGEST: '',
    revision: '',
    object: '',
    BUCKET,
  }
}

const planned = async (options: { readonly uninstall?: boolean } = {}): Promise<Partial<Known>> => {
  const { digest: DIGEST, revision } = await world().ask.previewPlan('boards', options, never)
  return { DIGEST, revision }
}

/** The newest revision removes most resources, so its plan needs approval. */
const needsApproval = async (): Promise<Partial<Known>> => {
  await world().push(label('red'), 'stable')
  return { DIGEST: (await world().sync('boards')).plan!.digest }
}

/** `beta` is ahead of `stable`. */
const promotable = async ({ commit }: Known): Promise<Partial<Known>> => {
  const ahead = await world().push(yaml(label('red'), bucket('raw', { every: 3600 }), label('green')), 'beta')
  return { commit: ahead, object: commit }
}

const rolledBack = async ({ RUN }: Known): Promise<Partial<Known>> => {
  await world().ended('boards', (await world().ask.rollBack('boards', RUN, '', 'ann')).id)
  return {}
}

const run = z.object({ run: runSchema })
const changed = z.object({ stack: stackSchema, changes: z.array(fieldChangeSchema), plan: planSchema, run: z.string() })

const cases: Readonly<Record<string, Case>> = {
  'stacks are listed': {
    route: 'GET /api/v1/stacks?limit=7',
    schema: stackPageSchema,
    verb: 'listStacks',
    args: () => [{ limit: 7 }],
  },
  'stacks are found by their channel and path, with their total': {
    route: 'GET /api/v1/stacks?channel=CHANNEL&path=dashboards&names=boards,alerts&sort=-needs',
    schema: stackPageSchema,
    verb: 'listStacks',
    args: ({ CHANNEL }) => [
      {
        limit: 100,
        sort: '-needs',
        names: ['boards', 'alerts'],
        channel: decodeURIComponent(CHANNEL),
        path: 'dashboards',
      },
    ],
  },
  'stacks are chosen and sorted': {
    route: 'GET /api/v1/stacks?sort=-lastRun&name=board&suspended=false&needs=person&health=Degraded',
    schema: page(stackRowSchema),
    verb: 'listStacks',
    args: () => [
      { limit: 100, sort: '-lastRun', name: 'board', suspended: false, needs: 'person', health: 'Degraded' },
    ],
  },
  'a stack is made of its document': {
    route: 'POST /api/v1/stacks',
    body: ({ url }) => ({ name: 'copy', sources: [{ url, ref: 'stable' }], target: 'other', interval: '30s' }),
    schema: z.object({ stack: stackSchema, run: z.string() }),
    status: 201,
    verb: 'createStack',
    args: () => [expect.objectContaining({ name: 'copy', intervalMs: 30_000, maxDeletes: 10 }), 'ann'],
  },
  'a new stack is previewed': {
    route: 'POST /api/v1/stacks/plan-create',
    body: ({ url }) => ({ name: 'copy', sources: [{ url, ref: 'stable' }], target: 'other', interval: '30s' }),
    schema: planSchema,
    verb: 'previewCreate',
    args: () => [expect.objectContaining({ name: 'copy', intervalMs: 30_000, maxDeletes: 10 })],
  },
  'a stack takes over what exists': {
    route: 'POST /api/v1/stacks/import',
    body: ({ url }) => ({ name: 'copy', sources: [{ url, ref: 'stable' }], target: 'other', interval: '30s' }),
    schema: importSchema,
    status: 201,
    verb: 'importStack',
    args: () => [{ spec: expect.objectContaining({ name: 'copy', intervalMs: 30_000 }) as unknown }, 'ann'],
  },
  'an import is previewed': {
    route: 'POST /api/v1/stacks/plan-import',
    body: ({ url }) => ({ name: 'copy', sources: [{ url, ref: 'stable' }], target: 'other', interval: '30s' }),
    schema: importSchema,
    verb: 'previewImport',
    args: () => [{ spec: expect.objectContaining({ name: 'copy', intervalMs: 30_000 }) as unknown }],
  },
  'what no stack manages is shown': {
    route: 'GET /api/v1/targets/local/unmanaged',
    schema: unmanagedSchema,
    verb: 'listUnmanaged',
    args: () => ['local'],
  },
  'a stack is shown': { route: `GET ${stack}`, schema: stackSchema, verb: 'getStack', args: () => ['boards'] },
  'settings are changed': {
    route: `PATCH ${stack}`,
    body: () => ({ source: { ref: 'beta' }, interval: '1m' }),
    schema: changed,
    verb: 'updateStack',
    args: () => ['boards', { source: { ref: 'beta' }, intervalMs: 60_000 }, 'ann'],
  },
  'null resets settings, and a change that starts no run has no plan': {
    route: `PATCH ${stack}`,
    body: () => ({ interval: null, protect: null, values: null, onFailure: null }),
    schema: changed.omit({ plan: true, run: true }).strict(),
    verb: 'updateStack',
    args: () => ['boards', { intervalMs: null, protect: null, values: null, onFailure: null }, 'ann'],
  },
  'a change of settings is previewed': {
    route: `POST ${stack}/plan-settings`,
    body: () => ({ source: { ref: 'beta' }, interval: '1m' }),
    schema: changed.omit({ stack: true, run: true }).strict(),
    verb: 'previewUpdate',
    args: () => ['boards', { source: { ref: 'beta' }, intervalMs: 60_000 }],
  },
  'a stack is deleted': {
    route: `DELETE ${stack}`,
    schema: z.strictObject({}),
    verb: 'deleteStack',
    args: () => ['boards', { by: 'ann' }],
  },
  'a stack is uninstalled by the digest of a plan': {
    given: () => planned({ uninstall: true }),
    route: `DELETE ${stack}?uninstall=DIGEST`,
    schema: run,
    verb: 'deleteStack',
    args: ({ DIGEST }) => ['boards', { by: 'ann', uninstall: DIGEST }],
  },
  'a plan is made': {
    route: `POST ${stack}/plan`,
    schema: planSchema,
    verb: 'previewPlan',
    args: () => ['boards', {}],
  },
  'a plan is made of another ref': {
    route: `POST ${stack}/plan`,
    body: () => ({ ref: 'beta' }),
    schema: planSchema,
    verb: 'previewPlan',
    args: () => ['boards', { ref: 'beta' }],
  },
  'a plan is made of sent files': {
    route: `POST ${stack}/plan-files`,
    body: () => ({ files: [{ path: 'package.yml', text: two }] }),
    schema: planSchema,
    verb: 'previewPackage',
    args: () => ['boards', [{ path: 'package.yml', text: two }]],
  },
  'a written plan is applied': {
    given: async () => {
      await world().push(two, 'stable')
      return planned()
    },
    route: `POST ${stack}/apply`,
    body: ({ revision, DIGEST }) => ({ revision, digest: DIGEST }),
    schema: appliedSchema,
    verb: 'applyPlan',
    args: ({ revision, DIGEST }) => [{ stack: 'boards', revision, digest: DIGEST }, 'ann'],
  },
  'a plan is approved by 12 digits': {
    given: needsApproval,
    route: `POST ${stack}/approve`,
    body: ({ DIGEST }) => ({ digest: DIGEST.slice(0, 12) }),
    schema: runRowSchema,
    verb: 'approvePlan',
    args: ({ DIGEST }) => ['boards', DIGEST.slice(0, 12), 'ann'],
  },
  'a run is cancelled': {
    given: needsApproval,
    route: `POST ${stack}/cancel`,
    schema: stackSchema,
    verb: 'cancelRun',
    args: () => ['boards', 'ann'],
  },
  'a sync is requested': {
    route: `POST ${stack}/sync`,
    schema: runRowSchema,
    verb: 'requestSync',
    args: () => ['boards', 'ann'],
  },
  'a sync of several stacks is requested': {
    route: 'POST /api/v1/sync',
    body: () => ({ selector: '!team' }),
    schema: requestedSyncsSchema,
    verb: 'requestSyncs',
    args: () => [[{ operator: 'absent', key: 'team' }], 'ann'],
  },
  'a revision is waited for': {
    route: `POST ${stack}/wait`,
    body: ({ commit }) => ({ revision: commit.slice(0, 7), timeoutMs: 1000 }),
    schema: stackSchema,
    verb: 'waitForStack',
    args: ({ commit }) => ['boards', { revision: commit.slice(0, 7), for: 'synced', timeoutMs: 1000 }],
  },
  'a run is rolled back to': {
    route: `POST ${stack}/rollback`,
    body: ({ RUN }) => ({ run: RUN, why: 'bad chart' }),
    schema: taggedRunSchema,
    verb: 'rollBack',
    args: ({ RUN }) => ['boards', RUN, 'bad chart', 'ann'],
  },
  'a rollback is ended': {
    given: rolledBack,
    route: `POST ${stack}/unpin`,
    schema: z.object({ stack: stackSchema, run: z.string().nullable() }),
    verb: 'unpinStack',
    args: () => ['boards', 'ann'],
  },
  'a stack is suspended': {
    route: `POST ${stack}/suspend`,
    body: () => ({ why: 'moving', forMs: 5000 }),
    schema: stackSchema,
    verb: 'suspendStack',
    args: () => ['boards', 'moving', 5000, 'ann'],
  },
  'a stack is resumed': {
    given: async () => {
      await world().ask.suspendStack('boards', 'moving', undefined, 'ann')
      return {}
    },
    route: `POST ${stack}/resume`,
    schema: stackSchema,
    verb: 'resumeStack',
    args: () => ['boards', 'ann'],
  },
  'the history is paged': {
    route: `GET ${stack}/runs`,
    schema: page(runRowSchema),
    verb: 'listRuns',
    args: () => ['boards', { limit: 100 }],
  },
  'the history of all stacks is paged': {
    route: 'GET /api/v1/runs?limit=5',
    schema: page(stackRunRowSchema),
    verb: 'listAllRuns',
    args: () => [{ limit: 5 }],
  },
  'the resources of a stack are listed': {
    route: `GET ${stack}/resources?limit=5`,
    schema: page(stackResourceSchema),
    verb: 'listStackResources',
    args: () => ['boards', { limit: 5 }],
  },
  'the stored drift of a stack is read': {
    route: `GET ${stack}/drift`,
    schema: driftSchema,
    verb: 'getDrift',
    args: () => ['boards'],
  },
  'several named stacks are suspended': {
    route: 'POST /api/v1/bulk',
    body: () => ({ verb: 'suspend', names: ['boards', 'none'], why: 'audit', forMs: 60_000 }),
    schema: bulkSchema,
    verb: 'runBulk',
    args: () => [{ verb: 'suspend', why: 'audit', forMs: 60_000 }, ['boards', 'none'], 'ann'],
  },
  'the history is filtered': {
    route:
      'GET /api/v1/runs?stack=boards&by=ann&cause=person&outcome=applied,failed' +
      '&since=2026-11-21T04:00:00Z&until=2026-11-22T05:00:00%2B01:00',
    schema: page(stackRunRowSchema),
    verb: 'listAllRuns',
    args: () => [
      {
        limit: 100,
        stack: 'boards',
        by: 'ann',
        cause: 'person',
        outcomes: ['applied', 'failed'],
        since: Date.UTC(2026, 10, 21, 4),
        until: Date.UTC(2026, 10, 22, 4),
      },
    ],
  },
  'all stacks are shown at a glance': {
    route: 'GET /api/v1/overview?group=target',
    schema: overviewSchema,
    verb: 'getOverview',
    args: () => [{ group: 'target' }],
  },
  'packages are shown with their targets': {
    route: 'GET /api/v1/overview/matrix?rows=package&columns=target&limit=50',
    schema: matrixSchema,
    verb: 'getMatrix',
    args: () => [{ limit: 50 }],
  },
  'the moves of all channels are listed': {
    route: 'GET /api/v1/channels/moves?limit=2',
    schema: page(moveSchema),
    verb: 'listMoves',
    args: () => [undefined, { limit: 2 }],
  },
  'the decisions about all channels are listed': {
    route: 'GET /api/v1/channels/decisions?limit=2',
    schema: page(decisionSchema),
    verb: 'listDecisions',
    args: () => [undefined, { limit: 2 }],
  },
  'the history of some stacks is chosen by labels': {
    route: 'GET /api/v1/runs?selector=!team',
    schema: page(stackRunRowSchema),
    verb: 'listAllRuns',
    args: () => [{ limit: 100, selector: [{ operator: 'absent', key: 'team' }] }],
  },
  'the plans of a promotion are shown page by page': {
    route: 'GET /api/v1/channels/promotion/plans?from=beta&to=stable&limit=5',
    schema: promotionPlansSchema,
    verb: 'previewPromotionPlans',
    args: () => [{ from: 'beta', to: 'stable' }, { limit: 5 }],
  },
  'the commits between two commits are listed': {
    route: 'GET /api/v1/channels/commits?channel=stable&from=COMMIT&to=COMMIT',
    schema: commitRangeSchema,
    verb: 'listCommits',
    args: ({ commit }) => [{ channel: 'stable', from: commit, to: commit, limit: 50 }],
  },
  'the configuration is shown': {
    route: 'GET /api/v1/configuration?section=limits&limit=3',
    schema: configurationPageSchema,
    verb: 'getConfiguration',
    args: () => [{ section: 'limits', limit: 3 }],
  },
  'the events of a run are shown': {
    route: `GET ${stack}/runs/RUN/events?limit=2`,
    schema: runEventsSchema,
    verb: 'getRunEvents',
    args: ({ RUN }) => ['boards', RUN, { limit: 2 }],
  },
  'two runs are compared': {
    route: `GET ${stack}/runs/RUN/compare/RUN`,
    schema: runComparisonSchema,
    verb: 'compareRuns',
    args: ({ RUN }) => ['boards', [RUN, RUN]],
  },
  'a run is shown': {
    route: `GET ${stack}/runs/RUN`,
    schema: runSchema,
    verb: 'getRun',
    args: ({ RUN }) => ['boards', RUN],
  },
  'targets are listed': {
    route: 'GET /api/v1/targets',
    schema: page(targetSchema),
    verb: 'listTargets',
    args: () => [{ limit: 100 }],
  },
  'targets are chosen by labels': {
    route: 'GET /api/v1/targets?selector=!env',
    schema: page(targetSchema),
    verb: 'listTargets',
    args: () => [{ limit: 100, selector: [{ operator: 'absent', key: 'env' }] }],
  },
  'a target is shown': {
    route: 'GET /api/v1/targets/local',
    schema: targetSchema,
    verb: 'getTarget',
    args: () => ['local'],
  },
  'a target is tested': {
    route: 'POST /api/v1/targets/local/test',
    schema: targetTestSchema,
    verb: 'testTarget',
    args: () => ['local'],
  },
  'the doctor is asked': { route: 'GET /api/v1/doctor', schema: diagnosisSchema, verb: 'diagnose', args: () => [] },
  'all resources of a stack are explained': {
    route: `GET ${stack}/explain/resources?limit=5`,
    schema: page(explainedResourceSchema),
    verb: 'explainResources',
    args: () => ['boards', { limit: 5 }],
  },
  'one resource is explained': {
    route: `GET ${stack}/explain/resources/Bucket%2Fraw`,
    schema: resourceDetailSchema,
    verb: 'explainResource',
    args: () => ['boards', 'Bucket/raw'],
  },
  'a stack is explained': {
    route: `GET ${stack}/explain`,
    schema: explanationSchema,
    verb: 'explainStack',
    args: () => ['boards'],
  },
  'fleets are listed': {
    route: 'GET /api/v1/fleets',
    schema: page(fleetRowSchema),
    verb: 'listFleets',
    args: () => [{ limit: 100 }],
  },
  'a fleet is planned': {
    route: 'POST /api/v1/fleets/teams/plan',
    body: ({ url }) => ({ fleet: fleetOf(url) }),
    schema: fleetPlanSchema,
    verb: 'planFleet',
    args: ({ url }) => ['teams', toFleetSpec(fleetDocument.parse(fleetOf(url)))],
  },
  'a fleet is applied': {
    route: 'PUT /api/v1/fleets/teams',
    body: ({ url }) => fleetOf(url),
    schema: z.object({ fleet: fleetSchema, changes: z.array(fleetChangeSchema) }),
    verb: 'applyFleet',
    args: ({ url }) => [toFleetSpec(fleetDocument.parse(fleetOf(url))), { name: 'teams' }],
  },
  'a fleet is read': {
    given: applied,
    route: 'GET /api/v1/fleets/teams',
    schema: fleetSchema,
    verb: 'getFleet',
    args: () => ['teams'],
  },
  'a fleet is deleted': {
    given: applied,
    route: 'DELETE /api/v1/fleets/teams',
    schema: z.object({ kept: z.literal(1) }),
    verb: 'deleteFleet',
    args: () => ['teams', {}],
  },
  'channels are listed': {
    route: 'GET /api/v1/channels',
    schema: page(channelSchema),
    verb: 'listChannels',
    args: () => [{ limit: 100 }],
  },
  'moves of a channel are listed': {
    route: 'GET /api/v1/channels/moves?channel=CHANNEL',
    schema: page(moveSchema),
    verb: 'listMoves',
    args: ({ url }) => [`${url}#stable`, { limit: 100 }],
  },
  'decisions about a channel are listed': {
    given: async () => {
      await world().ask.pinChannel('stable', { why: 'the audit', by: 'ann' }, never)
      return {}
    },
    route: 'GET /api/v1/channels/decisions?channel=stable&limit=5',
    schema: page(decisionSchema),
    verb: 'listDecisions',
    args: () => ['stable', { limit: 5 }],
  },
  'a veto is shown': {
    route: 'GET /api/v1/channels/moves/MOVE/veto',
    schema: vetoPreviewSchema,
    verb: 'previewVeto',
    args: ({ MOVE }) => [MOVE],
  },
  'a move is vetoed': {
    route: 'POST /api/v1/channels/moves/MOVE/veto',
    body: () => ({ why: 'it is wrong' }),
    schema: decidedMoveSchema,
    verb: 'vetoMove',
    args: ({ MOVE }) => [MOVE, { why: 'it is wrong', by: 'ann' }],
  },
  'an approval is shown': {
    given: async ({ MOVE }) => {
      await world().ask.vetoMove(MOVE, { why: 'it is wrong', by: 'ann' })
      return {}
    },
    route: 'GET /api/v1/channels/moves/MOVE/approve?plans=true',
    schema: approvalPreviewSchema,
    verb: 'previewApproval',
    args: ({ MOVE }) => [MOVE, { plans: true }],
  },
  'a move is approved': {
    given: async ({ MOVE }) => {
      await world().ask.vetoMove(MOVE, { why: 'it is wrong', by: 'ann' })
      return {}
    },
    route: 'POST /api/v1/channels/moves/MOVE/approve',
    body: () => ({ why: 'it is right' }),
    schema: decidedMoveSchema,
    verb: 'approveMove',
    args: ({ MOVE }) => [MOVE, { why: 'it is right', by: 'ann' }],
  },
  'a pin is shown': {
    route: 'GET /api/v1/channels/pin?channel=stable&at=MOVE&plans=true',
    schema: pinPreviewSchema,
    verb: 'previewPin',
    args: ({ MOVE }) => ['stable', { plans: true, at: MOVE }],
  },
  'a channel is pinned': {
    route: 'POST /api/v1/channels/pin',
    body: ({ MOVE }) => ({ channel: 'stable', at: MOVE, why: 'the audit' }),
    schema: decidedChannelSchema,
    verb: 'pinChannel',
    args: ({ MOVE }) => ['stable', { why: 'the audit', by: 'ann', at: MOVE }],
  },
  'a channel is unpinned': {
    given: async () => {
      await world().ask.pinChannel('stable', { why: 'the audit', by: 'ann' }, never)
      return {}
    },
    route: 'POST /api/v1/channels/unpin',
    body: () => ({ channel: 'stable' }),
    schema: decidedChannelSchema,
    verb: 'unpinChannel',
    args: () => ['stable', { why: '', by: 'ann' }],
  },
  'deleted stacks are listed': {
    route: 'GET /api/v1/deleted-stacks?limit=5',
    schema: page(deletedStackSchema),
    verb: 'listDeletions',
    args: () => [{ limit: 5 }],
  },
  'the end of a pin is shown': {
    given: async () => {
      await world().ask.pinChannel('stable', { why: 'the audit', by: 'ann' }, never)
      return {}
    },
    route: 'GET /api/v1/channels/unpin?channel=stable',
    schema: unpinPreviewSchema,
    verb: 'previewUnpin',
    args: () => ['stable'],
  },
  'a promotion is shown': {
    given: promotable,
    route: 'GET /api/v1/channels/promotion?from=beta&to=stable&plans=true',
    schema: promotionSchema,
    verb: 'previewPromotion',
    args: () => [{ from: 'beta', to: 'stable' }, { plans: true }],
  },
  'a tag is promoted': {
    given: promotable,
    route: 'POST /api/v1/channels/promotion',
    body: ({ commit, object }) => ({ from: 'beta', to: 'stable', why: 'a week', expects: { commit, object } }),
    schema: promotedSchema,
    verb: 'promoteTag',
    args: ({ commit, object }) => [
      { from: 'beta', to: 'stable' },
      { why: 'a week', by: 'ann', expects: { commit, object } },
    ],
  },
  'resources on a target are listed': {
    route: 'GET /api/v1/resources?target=local&stack=boards',
    schema: page(resourceSchema),
    verb: 'listResources',
    args: () => [{ limit: 100, target: 'local', stack: 'boards' }],
  },
  'packages of a repository are found': {
    route: 'POST /api/v1/discover',
    body: ({ url }) => ({ url, path: './boards/', prefix: 'team-' }),
    schema: discoverySchema,
    verb: 'discoverPackages',
    args: ({ url }) => [{ url, ref: 'HEAD', path: 'boards', prefix: 'team-' }],
  },
  'resources are exported': {
    route: 'POST /api/v1/export',
    body: ({ BUCKET }) => ({
      stack: 'boards',
      resources: [{ kind: 'Bucket', id: BUCKET }],
      targets: [{ target: 'local', kinds: ['Task'] }],
      withVariables: true,
    }),
    schema: exportSchema,
    verb: 'exportPackage',
    args: ({ BUCKET }) => [
      {
        stack: 'boards',
        resources: [{ kind: 'Bucket', id: BUCKET }],
        targets: [{ target: 'local', kinds: ['Task'] }],
        withVariables: true,
      },
    ],
  },
  'a resource is made': {
    route: 'POST /api/v1/resources?target=local',
    body: () => ({ family: 'Bucket', desired: { name: 'mine' } }),
    schema: resourceSchema,
    status: 201,
    verb: 'createResource',
    args: () => ['Bucket', { name: 'mine' }, { target: 'local', by: 'ann' }],
  },
  'a resource is shown': {
    route: 'GET /api/v1/resources/Bucket%2Fraw',
    schema: resourceSchema,
    verb: 'getResource',
    args: () => ['Bucket/raw', {}],
  },
  'a resource is changed': {
    route: 'PUT /api/v1/resources/Label/red?stack=boards',
    body: () => ({ desired: { description: 'by hand' } }),
    schema: resourceSchema,
    verb: 'editResource',
    args: () => ['Label/red', { description: 'by hand' }, { stack: 'boards', by: 'ann' }],
  },
  'a closed window is overridden': {
    route: `POST ${stack}/sync`,
    body: () => ({ overrideWindow: true, why: 'INC-7' }),
    schema: runRowSchema,
    verb: 'requestSync',
    args: () => ['boards', 'ann', { overrideWindow: 'INC-7' }],
  },
  'a closed window is overridden for a resource that is removed': {
    route: 'DELETE /api/v1/resources/Label%2Fred?overrideWindow=true&why=INC-7',
    schema: z.strictObject({ deleted: z.literal('Label/red') }),
    verb: 'deleteResource',
    args: () => ['Label/red', { overrideWindow: 'INC-7', why: 'INC-7', by: 'ann' }],
  },
  'a resource is removed with consent': {
    route: 'DELETE /api/v1/resources/Bucket%2Fraw?consent=Bucket/raw',
    schema: z.strictObject({ deleted: z.literal('Bucket/raw') }),
    verb: 'deleteResource',
    args: () => ['Bucket/raw', { consent: 'Bucket/raw', by: 'ann' }],
  },
  'a resource is removed': {
    route: 'DELETE /api/v1/resources/Label%2Fred',
    schema: z.strictObject({ deleted: z.literal('Label/red') }),
    verb: 'deleteResource',
    args: () => ['Label/red', { by: 'ann' }],
  },
}

/** They change nothing, so they share an agent. */
function isRead({ given, route }: Case): boolean {
  return given === undefined && /^GET |\/(plan|wait|discover|export)$/.test(route)
}

const named = Object.entries(cases)

describe('a route calls one use case of a running agent and answers in its schema:', () => {
  let prepared: Known
  beforeAll(async () => {
    await openWorld()
    prepared = await prepare()
  })
  afterAll(closeWorld)

  test.each(named.filter(([, one]) => isRead(one)))('%s', async (_, one) => {
    await checkRoute(one, prepared)
  })
})

describe('a route that writes calls one use case of a running agent and answers in its schema:', () => {
  beforeEach(openWorld)
  afterEach(closeWorld)

  test.each(named.filter(([, one]) => !isRead(one)))('%s', async (_, one) => {
    const prepared = await prepare()
    await checkRoute(one, { ...prepared, ...(await one.given?.(prepared)) })
  })
})

async function checkRoute({ route, body, schema, verb, args, status = 200 }: Case, known: Known): Promise<void> {
  const { call, calls } = recorded(world().call)
  const filled = route
    .replaceAll('COMMIT', known.commit)
    .replaceAll(/\b(?:RUN|MOVE|CHANNEL|DIGEST)\b/g, (name) => known[name as 'RUN'])
  const [method = '', path = ''] = filled.split(' ')
  const answer = await openDoor({}, { call }).request(method, path, body?.(known), { 'X-Gitmoor-By': 'ann' })
  expect(answer.body).not.toHaveProperty('error')
  expect(answer.status).toBe(status)
  expect(calls).toEqual([{ verb, args: args(known) }])
  expect(schema.parse(answer.body)).toEqual(answer.body)
}

/** Calls the use cases of an agent, and notes the calls without signals. */
function recorded(call: CallUseCase): { readonly call: CallUseCase; readonly calls: object[] } {
  const calls: object[] = []
  const recording = (useCase: { readonly name: string }, ...args: readonly unknown[]): unknown => {
    calls.push({ verb: useCase.name, args: args.filter((arg) => !(arg instanceof AbortSignal)) })
    return (call as (...given: readonly unknown[]) => unknown)(useCase, ...args)
  }
  return { call: recording as CallUseCase, calls }
}

test('a long poll hands its waiting and a signal to the verb', async () => {
  const given: unknown[] = []
  const door = openDoor({
    getRun: async (_, __, wait) => {
      given.push(wait)
      return sampleRun
    },
  })
  await door.request('GET', `${stack}/runs/12?waitMs=50&phase=queued`)
  expect(given).toEqual([{ waitMs: 50, phase: 'queued', signal: expect.any(AbortSignal) }])
})

test('every route but those that InfluxDB describes is described', async () => {
  const door = openDoor()
  const { body } = await door.request('GET', '/api/v1/openapi.json')
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${routePath(path)}`),
  )
  const routes = door.api.routes.filter((route) => route.method !== 'ALL')
  const routed = [...new Set(routes.map((route) => `${route.method} ${route.path}`))]
  expect(described.sort()).toEqual(
    routed.filter((route) => !/openapi| \/(?:api\/v2\/.*|ping|health)$/.test(route)).sort(),
  )
})
