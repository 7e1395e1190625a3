// stacks: what a person can ask of a stack. Takes names and settings; gives views. The doors know this room only by
// `Verbs`. Promises: what the configuration file declares is changed there and nowhere else; every answer says what to
// do next; nothing here decides when things run.
import { Redactor } from '../secrets/redact/redact.js'
import { ChangeVerbs } from './changes/changes.js'
import { ChannelVerbs } from './channels/channels.js'
import { Desk, type DeskDeps } from './desk.js'
import { DiscoverVerb } from './discover/discover.js'
import { DoctorVerbs, type Inspections } from './doctor/doctor.js'
import { ExplainVerbs } from './explain/explain.js'
import { ExportVerb } from './export/export.js'
import { TargetResources } from './resources/resources.js'
import { LookVerbs } from './queries/queries.js'
import { PlanVerbs } from './plans/plans.js'
import { PromoteVerb } from './channels/promote-tag.js'
import { PushVerb } from './changes/push-package.js'
import { RecordVerbs } from './templates/template-stacks.js'
import { RunVerbs } from './runs/runs.js'
import { TemplateVerbs } from './templates/templates.js'
import type { Verbs } from './verbs.js'
import { WatchVerb } from './queries/watch-events.js'
import { HookSecrets } from './webhooks/hook-secrets.js'
import { WebhookVerbs } from './webhooks/webhooks.js'
import type { WebhooksDeps } from './webhooks/receive-delivery.js'

/** Where nobody knows the machine and the configuration. */
const nothingToInspect: Inspections = { machine: async () => [], access: () => [] }

/** What the verbs do not find at the desk; each is absent where there is none. */
export interface Surroundings {
  readonly inspections?: Inspections
  readonly webhooks?: WebhooksDeps
}

/** All verbs over one store, its agent and its targets. */
export function openVerbs(
  deps: DeskDeps,
  { inspections = nothingToInspect, webhooks: hooks = noWebhooks() }: Surroundings = {},
): Verbs {
  const desk = new Desk(deps)
  const looks = new LookVerbs(desk)
  const explains = new ExplainVerbs(desk)
  const webhooks = new WebhookVerbs(desk, hooks, (name, run, wait) => looks.run(name, run, wait))
  const doctor = new DoctorVerbs(desk, { ...inspections, webhooks: () => webhooks.checks() })
  const view: Verbs['get'] = (name) => looks.get(name)
  const plans = new PlanVerbs(desk)
  const changes = new ChangeVerbs(desk, plans, view)
  const runs = new RunVerbs(desk, view)
  const pushes = new PushVerb(desk, runs)
  const templates = new TemplateVerbs(desk, pushes)
  const channels = new ChannelVerbs(desk)
  const promotions = new PromoteVerb(desk)
  const watches = new WatchVerb(desk)
  const discoveries = new DiscoverVerb(desk)
  const exports = new ExportVerb(desk)
  const records = new RecordVerbs(desk)
  const { sync } = deps
  const live = new TargetResources({ store: sync.store, targets: sync.targets, clock: deps.clock })
  return {
    create: (spec, by) => changes.create(spec, by),
    set: (name, change, by) => changes.set(name, change, by),
    delete: (name, options, signal) => changes.delete(name, options, signal),
    uninstall: (name, asked, signal) => changes.uninstall(name, asked, signal),
    adopt: (name, adopted, signal) => records.adopt(name, adopted, signal),
    release: (name, released, signal) => records.release(name, released, signal),
    newRecord: (made, by) => records.newRecord(made, by),
    records: (of) => records.records(of),
    record: (id) => records.record(id),
    amendRecord: (id, change, by, signal) => records.amendRecord(id, change, by, signal),
    suspend: (name, reason, forMs, by) => changes.suspend(name, reason, forMs, by),
    resume: (name, by) => changes.resume(name, by),
    list: (listing) => looks.list(listing),
    get: view,
    wait: (name, options, signal) => looks.wait(name, options, signal),
    history: (name, paging) => looks.history(name, paging),
    run: (name, run, wait) => looks.run(name, run, wait),
    explain: (name) => explains.explain(name),
    explainResources: (name, paging) => explains.explainResources(name, paging),
    explainResource: (name, address) => explains.explainResource(name, address),
    ready: () => looks.ready(),
    organisations: async () => sync.targets.organisations(),
    doctor: (signal) => doctor.doctor(signal),
    plan: (name, options, signal) => plans.plan(name, options, signal),
    apply: (plan, by, signal, options) => plans.apply(plan, by, signal, options),
    approve: (name, digest, by, signal, options) => plans.approve(name, digest, by, signal, options),
    cancel: (name, by) => runs.cancel(name, by),
    sync: (name, by, signal, options) => runs.sync(name, by, signal, options),
    push: (name, pushed, by, signal) => pushes.push(name, pushed, by, signal),
    dryRun: (request, signal) => templates.dryRun(request, signal),
    applyPackage: (request, by, signal) => templates.apply(request, by, signal),
    rollback: (name, run, why, by, options) => runs.rollback(name, run, why, by, options),
    unpin: (name, by, options) => runs.unpin(name, by, options),
    channels: (paging) => channels.channels(paging),
    watch: (options, tell) => watches.watch(options, tell),
    moves: (channel, paging) => channels.moves(channel, paging),
    deliver: (request, options, signal) => webhooks.deliver(request, options, signal),
    webhooks: (paging) => webhooks.webhooks(paging),
    deliveries: (webhook, paging) => webhooks.deliveries(webhook, paging),
    redeliver: (delivery, by, signal) => webhooks.redeliver(delivery, by, signal),
    testWebhook: (webhook, options, signal) => webhooks.testWebhook(webhook, options, signal),
    decisions: (channel, paging) => channels.decisions(channel, paging),
    vetoMove: (move, asked) => channels.vetoMove(move, asked),
    approveMove: (move, asked) => channels.approveMove(move, asked),
    pinChannel: (channel, asked, signal) => channels.pinChannel(channel, asked, signal),
    promotion: (request, signal) => promotions.promotion(request, signal),
    promote: (request, asked, signal) => promotions.promote(request, asked, signal),
    unpinChannel: (channel, asked) => channels.unpinChannel(channel, asked),
    resources: (options, signal) => live.list(options, signal),
    resource: (which, whose, signal) => live.get(which, whose, signal),
    editResource: (which, held, whose, signal) => live.edit(which, held, whose, signal),
    deleteResource: (which, whose, signal) => live.delete(which, whose, signal),
    discover: (request, signal) => discoveries.discover(request, signal),
    export: (request, signal) => exports.export(request, signal),
    createResource: (family, held, whose, signal) => live.create(family, held, whose, signal),
  }
}

/** Where nobody may tell of changes. */
function noWebhooks(): WebhooksDeps {
  return { hooks: [], secrets: new HookSecrets({ directory: '', environment: () => undefined }, new Redactor()) }
}
