// Ask written by hand: they answer with the sample views, and note what they were asked.
import type { JsonObject } from '../../src/model/json.js'
import type { RunRow } from '../../src/views/run.js'
import type { Ask } from '../ask.js'
import type { CallUseCase } from '../../src/webhooks/call-use-case.js'
import {
  sampleAnswered,
  sampleChannel,
  sampleDelivery,
  sampleDecidedMove,
  sampleDecision,
  sampleDetail,
  sampleEventDigest,
  sampleDiagnosis,
  sampleDiscovery,
  sampleImport,
  sampleUnmanaged,
  sampleDrift,
  sampleExplained,
  sampleExplanation,
  sampleExport,
  sampleFleet,
  sampleFleetPlan,
  sampleEvent,
  sampleMatrix,
  sampleMove,
  sampleMoved,
  sampleOverview,
  samplePromoted,
  samplePromotion,
  samplePromotionPlans,
  samplePlan,
  sampleResource,
  sampleRow,
  sampleCommits,
  sampleComparison,
  sampleConfiguration,
  sampleRun,
  sampleRunEvents,
  refusedTarget,
  sampleStack,
  sampleTarget,
  sampleTargetTest,
  sampleApprovalPreview,
  samplePinPreview,
  sampleUnpinPreview,
  sampleVetoPreview,
  sampleMessage,
  sampleReceiver,
  sampleWebhook,
} from './sample-views.js'

export interface UseCaseCall {
  readonly verb: string
  readonly args: readonly unknown[]
}

/** Of use cases, by name; a platform may have more. */
export type Answers = Partial<Ask> & Readonly<Record<string, unknown>>

/**
 * Answers in place of use cases: with sample views, unless `changed` has the use case. Records what was called, without
 * signals.
 */
export function sampleAnswers(changed: Answers = {}): { readonly call: CallUseCase; readonly calls: UseCaseCall[] } {
  const calls: UseCaseCall[] = []
  const all: Readonly<Record<string, unknown>> = { ...answers(), ...changed }
  const call = (useCase: { readonly name: string }, ...args: readonly unknown[]): unknown => {
    calls.push({ verb: useCase.name, args: args.filter((arg) => !(arg instanceof AbortSignal)) })
    return (all[useCase.name] as (...given: readonly unknown[]) => unknown)(...args)
  }
  return { call: call as CallUseCase, calls }
}

function answers(): Ask {
  const queued: RunRow = {
    ...sampleRow,
    phase: 'queued',
    outcome: null,
    startedAt: null,
    finishedAt: null,
    changes: null,
  }
  const { resources: _resources, spec: _spec, ...stackRow } = sampleStack
  return {
    createStack: async () => ({ stack: sampleStack, run: '12' }),
    previewCreate: async () => ({ ...samplePlan, stack: '' }),
    importStack: async () => sampleImport,
    previewImport: async () => ({ ...sampleImport, stack: null, run: null }),
    listUnmanaged: async () => sampleUnmanaged,
    updateStack: async () => ({
      stack: sampleStack,
      changes: [{ path: 'sources[0].ref', old: 'stable', new: 'beta' }],
      plan: samplePlan,
      run: '12',
    }),
    previewUpdate: async () => ({
      changes: [{ path: 'sources[0].ref', old: 'stable', new: 'beta' }],
      plan: samplePlan,
    }),
    listStacks: async () => ({ items: [stackRow], next: null }),
    getStack: async () => sampleStack,
    getOverview: async () => sampleOverview,
    getMatrix: async () => sampleMatrix,
    listFleets: async () => ({ items: [sampleFleet], next: null }),
    getFleet: async () => sampleFleet,
    planFleet: async () => sampleFleetPlan,
    applyFleet: async () => ({ fleet: sampleFleet, changes: sampleFleetPlan.changes }),
    deleteFleet: async () => ({ kept: 2 }),
    deleteStack: async (_, { uninstall }) =>
      uninstall === undefined ? {} : { run: { ...sampleRun, intent: 'delete' } },
    uninstallStack: async () => ({ run: { ...sampleRun, intent: 'uninstall' } }),
    adoptResource: async () => ({ run: sampleRow }),
    releaseResource: async (_, { address }) => ({
      run: sampleRow,
      id: '0a1b2c3d4e5f6071',
      findsAgain: !address.startsWith('Dashboard/'),
    }),
    previewPlan: async () => samplePlan,
    previewPackage: async () => samplePlan,
    applyPlan: async () => queued,
    approvePlan: async () => queued,
    cancelRun: async () => sampleStack,
    requestSync: async () => queued,
    requestSyncs: async () => ({ items: [{ name: 'boards', run: queued }] }),
    pushPackage: async () => ({ ...queued, etag: sampleStack.etag }),
    waitForStack: async () => sampleStack,
    listRuns: async () => ({ items: [sampleRow], next: '12' }),
    listAllRuns: async () => ({ items: [{ ...sampleRow, stack: 'boards' }], next: '12' }),
    getRun: async () => sampleRun,
    getConfiguration: async () => sampleConfiguration,
    listCommits: async () => sampleCommits,
    previewPromotionPlans: async () => samplePromotionPlans,
    getRunEvents: async () => sampleRunEvents,
    compareRuns: async () => sampleComparison,
    rollBack: async () => ({ ...queued, etag: sampleStack.etag }),
    unpinStack: async () => ({ stack: sampleStack, run: null }),
    runBulk: async () => ({ items: [{ name: 'boards', run: '12', error: null }] }),
    suspendStack: async (_, why) => ({ ...sampleStack, suspended: { why, by: 'ann', until: null } }),
    resumeStack: async () => sampleStack,
    diagnose: async () => sampleDiagnosis,
    explainStack: async () => sampleExplanation,
    explainResources: async () => ({ items: [sampleExplained], next: null }),
    explainResource: async () => sampleDetail,
    listStackResources: async () => ({
      items: [{ ...sampleExplained, needs: ['Label/red'], parts: [], unhealthy: null, drift: false }],
      next: null,
    }),
    getDrift: async () => sampleDrift,
    receiveDelivery: async () => ({ ...sampleAnswered, delivery: '7' }),
    listReceivers: async () => ({ items: [sampleReceiver], next: null }),
    listMessages: async () => ({ items: [sampleMessage], next: null }),
    testReceiver: async () => sampleMessage,
    redeliverMessage: async () => sampleMessage,
    listWebhooks: async () => ({ items: [sampleWebhook], next: null }),
    listDeliveries: async () => ({ items: [sampleDelivery], next: null }),
    redeliver: async () => sampleDelivery,
    testWebhook: async () => ({
      webhook: sampleWebhook,
      sent: { repository: 'https://github.com/acme/boards', ref: 'refs/heads/main', commit: '1'.repeat(40) },
      delivery: sampleDelivery,
    }),
    listChannels: async () => ({ items: [sampleChannel], next: null }),
    watchDigests: async (_, notify) => {
      notify(sampleEventDigest)
      return () => {}
    },
    getLastEventId: () => sampleEvent.id,
    watchEvents: async (_, notify) => {
      notify(sampleEvent)
      return () => {}
    },
    listMoves: async () => ({ items: [sampleMove], next: null }),
    listDecisions: async () => ({ items: [sampleDecision], next: null }),
    previewApproval: async () => sampleApprovalPreview,
    previewPin: async () => samplePinPreview,
    listDeletions: async () => ({
      items: [{ seq: '1', id: '30d2c7767cc16274', name: 'old', target: 'local', by: 'ann', at: sampleRun.createdAt }],
      next: null,
    }),
    previewUnpin: async () => sampleUnpinPreview,
    previewVeto: async () => sampleVetoPreview,
    vetoMove: async () => sampleDecidedMove,
    approveMove: async () => ({ ...sampleDecidedMove, state: 'released', moved: [] }),
    pinChannel: async () => ({ ...sampleChannel, moved: [] }),
    unpinChannel: async () => ({ ...sampleChannel, pin: null, blocker: null, moved: sampleMoved }),
    previewPromotion: async () => samplePromotion,
    promoteTag: async () => samplePromoted,
    listResources: async () => ({ items: [sampleResource], next: null }),
    getResource: async () => sampleResource,
    editResource: async (_, actual) => ({ ...sampleResource, actual: actual as JsonObject }),
    deleteResource: async () => undefined,
    createResource: async (family, actual) => ({
      ...sampleResource,
      family,
      actual: actual as JsonObject,
      stack: null,
      address: null,
    }),
    listTargets: async () => ({ items: [sampleTarget, { ...sampleTarget, ...refusedTarget }], next: null }),
    getTarget: async () => sampleTarget,
    testTarget: async () => sampleTargetTest,
    discoverPackages: async () => sampleDiscovery,
    exportPackage: async () => sampleExport,
    readiness: async () => ({ ready: true, reason: '' }),
  }
}
