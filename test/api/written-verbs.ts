// Verbs written by hand: they answer with the sample views, and note what they were asked.
import type { JsonObject } from '../../src/model/json.js'
import type { RunRow } from '../../src/views/run.js'
import type { Verbs } from '../../src/stacks/verbs.js'
import {
  sampleAnswer,
  sampleAnswered,
  sampleChannel,
  sampleDelivery,
  sampleDecision,
  sampleDetail,
  sampleDiagnosis,
  sampleDiscovery,
  sampleExplained,
  sampleExplanation,
  sampleExport,
  sampleHappening,
  sampleMove,
  samplePromoted,
  samplePromotion,
  sampleOrganisation,
  sampleRecord,
  samplePlan,
  sampleResource,
  sampleRow,
  sampleRun,
  sampleStack,
  sampleWebhook,
} from './sample-views.js'

export interface Asked {
  readonly verb: string
  readonly args: readonly unknown[]
}

/** `changed` replaces single verbs. Signals are left out of what is noted. */
export function writtenVerbs(changed: Partial<Verbs> = {}): { readonly verbs: Verbs; readonly asked: Asked[] } {
  const asked: Asked[] = []
  const verbs = { ...answers(), ...changed }
  const noted = Object.entries(verbs).map(([verb, act]) => [
    verb,
    (...args: unknown[]) => {
      asked.push({ verb, args: args.filter((arg) => !(arg instanceof AbortSignal)) })
      return (act as (...given: unknown[]) => unknown)(...args)
    },
  ])
  return { verbs: Object.fromEntries(noted) as Verbs, asked }
}

function answers(): Verbs {
  const queued: RunRow = {
    ...sampleRow,
    phase: 'queued',
    outcome: null,
    startedAt: null,
    finishedAt: null,
    changes: null,
  }
  const { resources: _resources, events: _events, spec: _spec, ...stackRow } = sampleStack
  return {
    create: async () => ({ stack: sampleStack, run: '12' }),
    set: async () => ({ stack: sampleStack, plan: samplePlan }),
    list: async () => ({ items: [stackRow], next: null }),
    get: async () => sampleStack,
    delete: async (_, { uninstall }) => (uninstall === undefined ? {} : { run: { ...sampleRun, intent: 'delete' } }),
    uninstall: async () => ({ run: { ...sampleRun, intent: 'uninstall' } }),
    adopt: async () => ({ run: sampleRow }),
    release: async (_, { address }) => ({
      run: sampleRow,
      id: '0a1b2c3d4e5f6071',
      findsAgain: !address.startsWith('Dashboard/'),
    }),
    newRecord: async () => sampleRecord,
    records: async () => [sampleRecord],
    record: async () => sampleRecord,
    amendRecord: async () => sampleRecord,
    plan: async () => samplePlan,
    apply: async () => queued,
    approve: async () => queued,
    cancel: async () => sampleStack,
    sync: async () => queued,
    push: async () => queued,
    dryRun: async () => ({ answer: sampleAnswer }),
    applyPackage: async () => ({ answer: sampleAnswer }),
    wait: async () => sampleStack,
    history: async () => ({ items: [sampleRow], next: '12' }),
    run: async () => sampleRun,
    rollback: async () => queued,
    unpin: async () => ({ stack: sampleStack, run: null }),
    suspend: async (_, reason) => ({ ...sampleStack, suspended: { reason, by: 'ann', until: null } }),
    resume: async () => sampleStack,
    doctor: async () => sampleDiagnosis,
    explain: async () => sampleExplanation,
    explainResources: async () => ({ items: [sampleExplained], next: null }),
    explainResource: async () => sampleDetail,
    deliver: async () => ({ ...sampleAnswered, delivery: '7' }),
    webhooks: async () => ({ items: [sampleWebhook], next: null }),
    deliveries: async () => ({ items: [sampleDelivery], next: null }),
    redeliver: async () => sampleDelivery,
    testWebhook: async () => ({
      webhook: sampleWebhook,
      sent: { repository: 'https://github.com/acme/boards', ref: 'refs/heads/main', commit: '1'.repeat(40) },
      delivery: sampleDelivery,
    }),
    channels: async () => ({ items: [sampleChannel], next: null }),
    watch: async (_, tell) => {
      tell(sampleHappening)
      return () => {}
    },
    moves: async () => ({ items: [sampleMove], next: null }),
    decisions: async () => ({ items: [sampleDecision], next: null }),
    vetoMove: async () => sampleMove,
    approveMove: async () => sampleMove,
    pinChannel: async () => sampleChannel,
    unpinChannel: async () => sampleChannel,
    promotion: async () => samplePromotion,
    promote: async () => samplePromoted,
    resources: async () => ({ items: [sampleResource], next: null }),
    resource: async () => sampleResource,
    editResource: async (_, desired) => ({ ...sampleResource, actual: desired as JsonObject }),
    deleteResource: async () => undefined,
    createResource: async (family, desired) => ({
      ...sampleResource,
      family,
      actual: desired as JsonObject,
      stack: null,
      address: null,
    }),
    organisations: async () => [sampleOrganisation],
    discover: async () => sampleDiscovery,
    export: async () => sampleExport,
    ready: async () => ({ ready: true, reason: '' }),
  }
}
