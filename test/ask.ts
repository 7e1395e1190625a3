// Every use case as tests call it: `world().ask.getStack('boards')`.
import { runBulk } from '../src/stacks/bulk/bulk.js'
import { listChannels, listDecisions, listMoves } from '../src/channels/channels.js'
import { approveMove, pinChannel, unpinChannel, vetoMove } from '../src/channels/decide-channels.js'
import { previewApproval, previewPin, previewUnpin, previewVeto } from '../src/channels/preview-decisions.js'
import { listCommits } from '../src/channels/list-commits.js'
import { previewPromotionPlans } from '../src/channels/promotion-plans.js'
import { previewPromotion, promoteTag } from '../src/channels/promote-tag.js'
import {
  createStack,
  deleteStack,
  previewCreate,
  resumeStack,
  suspendStack,
  uninstallStack,
} from '../src/stacks/changes/changes.js'
import { previewUpdate, updateStack } from '../src/stacks/changes/update-stack.js'
import { pushPackage } from '../src/stacks/changes/push-package.js'
import { listUnmanaged } from '../src/stacks/discover/unmanaged.js'
import { importStack, previewImport } from '../src/stacks/import/import.js'
import { discoverPackages } from '../src/stacks/discover/discover.js'
import { diagnose } from '../src/stacks/doctor/doctor.js'
import {
  explainResource,
  explainResources,
  explainStack,
  getDrift,
  listStackResources,
} from '../src/stacks/explain/explain.js'
import { applyFleet, deleteFleet, getFleet, listFleets, planFleet } from '../src/stacks/fleets/fleets.js'
import { exportPackage } from '../src/stacks/export/export.js'
import { getMatrix } from '../src/stacks/overview/matrix.js'
import { getOverview } from '../src/stacks/overview/overview.js'
import { watchDigests } from '../src/stacks/overview/watch-digests.js'
import { adoptResource, releaseResource } from '../src/stacks/ownership/ownership.js'
import { rollBack, unpinStack } from '../src/stacks/pins/pins.js'
import { applyPlan, approvePlan } from '../src/stacks/plans/plans.js'
import { compareRuns } from '../src/stacks/plans/compare-runs.js'
import { previewPackage, previewPlan } from '../src/stacks/plans/preview.js'
import {
  listDeletions,
  getRun,
  getStack,
  listAllRuns,
  listRuns,
  listStacks,
  readiness,
} from '../src/stacks/queries/queries.js'
import { getConfiguration } from '../src/stacks/queries/configuration.js'
import { getRunEvents } from '../src/stacks/queries/run-events.js'
import { getTarget, listTargets, testTarget } from '../src/stacks/queries/declared-targets.js'
import { getLastEventId, watchEvents } from '../src/stacks/queries/watch-events.js'
import {
  createResource,
  deleteResource,
  editResource,
  getResource,
  listResources,
} from '../src/stacks/resources/resources.js'
import { requestSyncs } from '../src/stacks/runs/request-syncs.js'
import { cancelRun, requestSync } from '../src/stacks/runs/runs.js'
import { waitForStack } from '../src/stacks/runs/wait-for-stack.js'
import { listMessages, listReceivers, redeliverMessage, testReceiver } from '../src/notifications/notifications.js'
import { listDeliveries, listWebhooks, receiveDelivery, redeliver, testWebhook } from '../src/webhooks/webhooks.js'
import type { CallUseCase } from '../src/webhooks/call-use-case.js'

export const useCases = {
  adoptResource,
  applyFleet,
  applyPlan,
  approveMove,
  approvePlan,
  cancelRun,
  compareRuns,
  createResource,
  createStack,
  deleteFleet,
  deleteResource,
  deleteStack,
  diagnose,
  discoverPackages,
  editResource,
  explainResource,
  explainResources,
  explainStack,
  exportPackage,
  getConfiguration,
  getFleet,
  getLastEventId,
  getMatrix,
  getOverview,
  getResource,
  getRun,
  getRunEvents,
  getStack,
  getTarget,
  listAllRuns,
  listChannels,
  listCommits,
  listDecisions,
  listDeliveries,
  listFleets,
  listMessages,
  listMoves,
  listReceivers,
  listResources,
  listStackResources,
  getDrift,
  listRuns,
  importStack,
  listStacks,
  listTargets,
  listUnmanaged,
  listWebhooks,
  pinChannel,
  planFleet,
  previewApproval,
  previewCreate,
  previewImport,
  previewPackage,
  previewPlan,
  previewPin,
  previewPromotion,
  previewPromotionPlans,
  listDeletions,
  previewUnpin,
  previewVeto,
  promoteTag,
  pushPackage,
  readiness,
  receiveDelivery,
  redeliver,
  redeliverMessage,
  releaseResource,
  requestSync,
  requestSyncs,
  resumeStack,
  rollBack,
  runBulk,
  suspendStack,
  testReceiver,
  testTarget,
  testWebhook,
  uninstallStack,
  unpinChannel,
  unpinStack,
  previewUpdate,
  updateStack,
  vetoMove,
  waitForStack,
  watchDigests,
  watchEvents,
}

export type UseCaseName = keyof typeof useCases

/** The use cases without their first argument, the context. */
export type Ask = Bound<typeof useCases>

export type Bound<U> = { readonly [Name in keyof U]: WithoutContext<U[Name]> }

type WithoutContext<F> = F extends (context: never, ...args: infer Args) => infer Answer
  ? (...args: Args) => Answer
  : never

export function askOver(call: CallUseCase): Ask {
  return bindUseCases(useCases, call)
}

export function bindUseCases<U extends object>(unbound: U, call: CallUseCase): Bound<U> {
  const bound = Object.entries(unbound).map(([name, useCase]) => [
    name,
    (...args: readonly unknown[]) => (call as (...given: readonly unknown[]) => unknown)(useCase, ...args),
  ])
  return Object.fromEntries(bound) as Bound<U>
}
