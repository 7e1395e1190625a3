// What a person can ask, one verb each. The doors (api, and through it cli) know this and nothing behind it.
import type { StackFilter, StackSort } from '../model/stack-query.js'
import type { StackSpec, StackSpecPatch } from '../model/stack.js'
import type { PromotionConfirmation, PromotionRequest } from './channels/promotion-request.js'
import type { PushedPackage } from './inputs/pushed-package.js'
import type { WindowOverrideOptions } from '../status/run-blockers.js'
import type { ExportRequest } from './export/export-request.js'
import type { TemplateOutcome } from './templates/template-answer.js'
import type { TemplateRequest } from './templates/template-request.js'
import type { HookRequest } from './webhooks/webhook.js'
import type { AppliedRow, RunRow, RunView } from '../views/run.js'
import type { Diagnosis } from '../views/diagnosis.js'
import type { DiscoveryView } from '../views/discovery.js'
import type { Explanation, ResourceDetail, ResourceExplanation } from '../views/explanation.js'
import type { ExportView } from '../views/export.js'
import type { EventView } from '../views/event.js'
import type { TargetResource, ReleasedResource } from '../views/resource.js'
import type {
  OrganisationView,
  NewTemplateStack,
  TemplateStackChange,
  TemplateStackView,
} from '../views/template-stack.js'
import type { Page } from '../views/page.js'
import type { PlanView } from '../views/plan.js'
import type { StackRow, StackView } from '../views/stack.js'
import type { DeliveryAnswer, DeliveryView, WebhookTestView, WebhookView } from '../views/webhook.js'
import type { ChannelView, DecisionView, MoveView, PromotedView, PromotionView } from '../views/channel.js'

export interface Paging {
  /** At most 500, default 100. */
  readonly limit?: number
  readonly after?: string
}

/** Default sort: by name. `after` goes on in a list with the same sort and filter. */
export interface StackListing extends Paging, StackFilter {
  readonly sort?: StackSort
}

/**
 * A repository, at a ref (default HEAD), below a path. `target`: for which platform; `prefix`: stands before the names
 * of stacks.
 */
export interface DiscoverRequest {
  readonly url: string
  readonly ref?: string
  readonly path?: string
  readonly target?: string
  readonly prefix?: string
}

/**
 * What writes is `Refused` (held, stacks/window-closed) while a window closes the stack, unless `overrideWindow` says
 * why it goes on. `name` is a stack's name or id, `by` is who asks (for the record). Errors are `Refused`
 * (model/errors), whose `status` the doors translate, and `SyncError`s of a source, a target or a package.
 */
export interface Verbs {
  /** Makes the stack and starts its first sync; the run can be waited for with `run`. */
  create(spec: StackSpec, by: string): Promise<{ readonly stack: StackView; readonly run: string }>
  /**
   * Changes settings. `plan` is what the next sync would do, undefined where the source or target could not be read
   * (`problem` says why).
   */
  set(
    name: string,
    change: StackSpecPatch,
    by: string,
  ): Promise<{ readonly stack: StackView; readonly plan?: PlanView; readonly problem?: string }>
  list(listing: StackListing): Promise<Page<StackRow>>
  get(name: string): Promise<StackView>
  /**
   * Forgets the stack; what it owns stays. With `uninstall` (the digest of a plan with `uninstall: true`) removes what
   * it owns first; waits.
   */
  delete(
    name: string,
    options: WindowOverrideOptions & { readonly uninstall?: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run?: RunView }>

  /**
   * Removes what the stack owns, as the plan with this digest (of `plan` with `uninstall: true`) says, and keeps the
   * stack; waits. It stays suspended until something is pushed or a person resumes it.
   */
  uninstall(
    name: string,
    asked: WindowOverrideOptions & { readonly digest: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run: RunView }>
  /** Takes what is there on the target into the stack, under an address; nothing is written to the target. */
  adopt(
    name: string,
    adopted: { readonly address: string; readonly id: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<{ readonly run: RunRow }>
  /**
   * Gives up what the stack owns under an address, with its parts; the target is left alone, and what another stack
   * shares becomes its own.
   */
  release(
    name: string,
    released: { readonly address: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<ReleasedResource>

  /**
   * Creates a template stack: packages are pushed to it, and its URLs are fetched at each apply. Reads and applies
   * nothing.
   */
  newRecord(made: NewTemplateStack, by: string): Promise<TemplateStackView>
  /** The template stacks of an organisation; with names or ids only those that have one of them. */
  records(of: {
    readonly orgID: string
    readonly names: readonly string[]
    readonly ids: readonly string[]
  }): Promise<readonly TemplateStackView[]>
  /** By its id. */
  record(id: string): Promise<TemplateStackView>
  /** Changes a template stack's names, sources and ownership. Writes nothing to the target. */
  amendRecord(id: string, change: TemplateStackChange, by: string, signal: AbortSignal): Promise<TemplateStackView>

  /**
   * What a sync would do now. Looks at the source first. `ref`: of another ref than the one it follows. `uninstall`:
   * what taking everything away would do.
   */
  plan(
    name: string,
    options: { readonly ref?: string; readonly uninstall?: boolean },
    signal: AbortSignal,
  ): Promise<PlanView>
  /**
   * Carries out exactly the plan that was written down: its digest, at its revision. Answers the run; one that did so
   * already, where nothing is left to do.
   */
  apply(
    plan: { readonly stack: string; readonly revision: string; readonly digest: string },
    by: string,
    signal: AbortSignal,
    options?: WindowOverrideOptions,
  ): Promise<AppliedRow>
  /**
   * Consents to the held plan. `digest`: at least 12 of its digits. Where a window closes the stack, the run waits
   * until it opens.
   */
  approve(
    name: string,
    digest: string,
    by: string,
    signal: AbortSignal,
    options?: WindowOverrideOptions,
  ): Promise<RunRow>
  /** Ends what is queued, held or in hand. */
  cancel(name: string, by: string): Promise<StackView>
  /** Looks at the source, then at the target, and corrects. */
  sync(name: string, by: string, signal: AbortSignal, options?: WindowOverrideOptions): Promise<RunRow>
  /**
   * Resolves when the stack is synced (at `revision`, if given: a commit or its first 7 digits or more); looks at the
   * source first. Times out with status `timeout`.
   */
  wait(
    name: string,
    options: { readonly revision?: string; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<StackView>
  /**
   * Hands over the package of a stack that has an inline source, and syncs. Answers the run. Errors: `InvalidPackage`.
   */
  push(name: string, pushed: PushedPackage, by: string, signal: AbortSignal): Promise<RunRow>
  /** What an apply of a package would do, in the form of the InfluxDB API. Writes nothing. */
  dryRun(request: TemplateRequest, signal: AbortSignal): Promise<TemplateOutcome>
  /**
   * Applies a package to a stack, a new one where none is named. Who asked may leave: what began ends. Errors:
   * `Refused` failed, where it was undone.
   */
  applyPackage(request: TemplateRequest, by: string, signal: AbortSignal): Promise<TemplateOutcome>
  history(name: string, paging: Paging): Promise<Page<RunRow>>
  /**
   * One run. With `waitMs`: answers when it is finished, at the latest then; with `phase` also when its phase is another
   * or what it waits for changes.
   */
  run(
    name: string,
    run: string,
    wait?: { readonly waitMs: number; readonly phase?: string; readonly signal: AbortSignal },
  ): Promise<RunView>
  rollback(name: string, run: string, why: string, by: string, options?: WindowOverrideOptions): Promise<RunRow>
  unpin(
    name: string,
    by: string,
    options?: WindowOverrideOptions,
  ): Promise<{ readonly stack: StackView; readonly run: string | null }>
  suspend(name: string, reason: string, forMs: number | undefined, by: string): Promise<StackView>
  resume(name: string, by: string): Promise<StackView>
  explain(name: string): Promise<Explanation>
  /** What a stack owns or shares, without parts, the newest change first: why each is as it is. */
  explainResources(name: string, paging: Paging): Promise<Page<ResourceExplanation>>
  /** One of them, or a part, with all that is known. */
  explainResource(name: string, address: string): Promise<ResourceDetail>

  channels(paging: Paging): Promise<Page<ChannelView>>
  /** `channel`: REMOTE#REF, or REF alone where it is unique. */
  moves(channel: string, paging: Paging): Promise<Page<MoveView>>
  /** What persons decided about a channel, newest first. */
  decisions(channel: string, paging: Paging): Promise<Page<DecisionView>>
  /**
   * The commit of a move is not released, or not any more, while the ref leads there; stacks go back to what was
   * released before.
   */
  vetoMove(
    move: string,
    asked: WindowOverrideOptions & { readonly why: string; readonly by: string },
  ): Promise<MoveView>
  /** Releases what waits or is held, and ends a veto. It does not replace a signature. */
  approveMove(move: string, asked: { readonly why: string; readonly by: string }): Promise<MoveView>
  /** All stacks that follow the channel stay at what they are at, or go to `at`: a move or a commit. */
  pinChannel(
    channel: string,
    asked: { readonly at?: string; readonly why: string; readonly by: string },
    signal: AbortSignal,
  ): Promise<ChannelView>
  unpinChannel(channel: string, asked: { readonly why: string; readonly by: string }): Promise<ChannelView>
  /** What `promote` would do. Errors: what it would be refused for. */
  promotion(request: PromotionRequest, signal: AbortSignal): Promise<PromotionView>
  /**
   * Moves a tag in its remote; the stacks that follow it are told at once. Errors: `Refused` stale, where what was
   * expected is not so any more; held, by a policy or a veto.
   */
  promote(request: PromotionRequest, asked: PromotionConfirmation, signal: AbortSignal): Promise<PromotedView>

  /**
   * What a webhook was sent: verified, then read, then looked for. With `wait`, answers when its runs have ended, at
   * the latest after 30 s. Errors: what reading the body throws; `Refused` auth (signature), not-found (no such
   * webhook), failed (it cannot be read); `Unavailable` where its secret cannot be had.
   */
  deliver(request: HookRequest, options: { readonly wait: boolean }, signal: AbortSignal): Promise<DeliveryAnswer>
  /** By name. */
  webhooks(paging: Paging): Promise<Page<WebhookView>>
  /** Newest first; of one webhook, or of all. */
  deliveries(webhook: string | undefined, paging: Paging): Promise<Page<DeliveryView>>
  /** Looks again at what a delivery was about; waits for the look. */
  redeliver(delivery: string, by: string, signal: AbortSignal): Promise<DeliveryView>
  /**
   * Makes a delivery as the sender would, of a remote that stacks follow, and takes it the whole way. `ref`: default,
   * one that they follow.
   */
  testWebhook(webhook: string, options: { readonly ref?: string }, signal: AbortSignal): Promise<WebhookTestView>

  /**
   * Tells what happens from now on, and first what happened since `after`; before anything new, `open`, or `reset`
   * where not all of that is known any more. Gives what ends it.
   */
  watch(
    options: { readonly stack?: string; readonly after?: string },
    tell: (told: EventView) => void,
  ): Promise<() => void>

  /** What is on a target: all of it, or what one stack owns. */
  resources(
    options: Paging & { readonly target?: string; readonly stack?: string },
    signal: AbortSignal,
  ): Promise<Page<TargetResource>>
  /** `which`: an address that one stack owns (name it where several do), or FAMILY/ID. */
  resource(
    which: string,
    options: { readonly target?: string; readonly stack?: string },
    signal: AbortSignal,
  ): Promise<TargetResource>
  /** Writes to the target past the stacks, as any other client of it might. Errors: as of `deleteResource`. */
  editResource(
    which: string,
    live: object,
    options: WindowOverrideOptions & {
      readonly target?: string
      readonly stack?: string
      readonly consent?: string
      readonly by?: string
    },
    signal: AbortSignal,
  ): Promise<TargetResource>
  /**
   * Errors: `Refused` held, where data would be lost or what is protected removed, and `consent` is not its address
   * (FAMILY/ID where no stack owns it).
   */
  deleteResource(
    which: string,
    options: WindowOverrideOptions & {
      readonly target?: string
      readonly stack?: string
      readonly consent?: string
      readonly by?: string
    },
    signal: AbortSignal,
  ): Promise<void>
  /** Of no stack, so the windows of all stacks of the target count. */
  createResource(
    family: string,
    live: object,
    options: WindowOverrideOptions & { readonly target?: string; readonly by?: string },
    signal: AbortSignal,
  ): Promise<TargetResource>

  /** Which packages a repository holds; nothing is made. */
  discover(request: DiscoverRequest, signal: AbortSignal): Promise<DiscoveryView>
  /** A package that declares existing resources. */
  export(request: ExportRequest, signal: AbortSignal): Promise<ExportView>

  /**
   * Everything that is worth a look: the machine, the database, credentials, remotes, targets, stacks that need a
   * person.
   */
  doctor(signal: AbortSignal): Promise<Diagnosis>

  /** Every live system that a target is declared of, as an organisation of the InfluxDB API. */
  organisations(): Promise<readonly OrganisationView[]>

  /**
   * True when every open journal was looked at, the database answers, no look at a remote is three intervals late, and
   * the agent is not stopping.
   */
  ready(): Promise<{ readonly ready: boolean; readonly reason: string }>
}
