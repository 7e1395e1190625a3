// stacks/explain: why a stack, or a resource of it, is in its state. Takes names; gives explanations. Promises: changes
// nothing, and only the explanation of one resource reads its target.
import { isoTime } from '../../lib/text/time-text.js'
import { groupBy } from '../../lib/group-by.js'
import { familyOf, type Address } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { Fleet } from '../../model/stacks/fleet.js'
import type { KindNamed } from '../../model/resources/kind.js'
import { causeText } from '../../model/stacks/run.js'
import type { Claims, Owned } from '../../model/resources/resource.js'
import type { SourceSpec } from '../../model/sources/source-spec.js'
import type { Stack } from '../../model/stacks/stack.js'
import { fleetOf } from '../../model/stacks/stack-owner.js'
import { isProtected } from '../../plan/protected.js'
import type { ExplainedResource } from '../../store/ownership-table.js'
import type { PollDelay } from '../scheduler.js'
import { explanation, type FollowedSource } from './explanation.js'
import { resourceDrift } from './resource-drift.js'
import { viewDrift } from './stored-drift.js'
import { stackBlockers } from '../../status/status.js'
import { kindsByName } from '../targets.js'
import { foundCause } from '../queries/channel-facts.js'
import { taggedSources } from '../queries/queries.js'
import type { Paging } from '../paging.js'
import { viewBlocker } from '../queries/view-stack.js'
import type {
  DriftView,
  Explanation,
  ResourceDetail,
  ResourceExplanation,
  StackResource,
} from '../../views/explanation.js'
import type { Page } from '../../views/page.js'
import type { Context } from '../context.js'
import { findStack } from '../stacks.js'
import { remoteOf } from '../load-package/remotes.js'
import { freshReads, namingRoot } from '../status/awaited-stacks.js'
import { readStatusInputWithPlan, dependenciesOf } from '../status/status-input.js'

/** The newest. */
const overridesShown = 5

export async function explainStack(context: Context, name: string): Promise<Explanation> {
  const stack = await findStack(context, name)
  const tagged = await taggedSources(context, stack)
  const status = await readStatusInputWithPlan(context, stack)
  const { last } = status
  return explanation({
    status: {
      ...status,
      blockers: await namingRoot(stack, status.blockers, freshReads(context)),
      last: last && { ...last, cause: await foundCause(context, last, stack) },
    },
    nextPollAt: context.scheduler.polls.nextAt(stack),
    requestedPollAt: context.scheduler.polls.requestedAt(stack),
    nextWorkAt: context.scheduler.runs.nextAt(stack.id),
    delays: pollDelays(context, stack),
    followed: await Promise.all(
      tagged.map(async (source) => ({ source, ...(await observation(context, source, stack.spec.name)) })),
    ),
    dependencies: await dependenciesOf(context, stack),
    fleet: await fleetDeclaring(context, stack),
    overrides: await context.store.overrides.list(stack.id, overridesShown),
    now: context.clock.now(),
  })
}

function fleetDeclaring({ store }: Context, { managedBy }: Stack): Promise<Fleet | undefined> {
  const name = fleetOf(managedBy)
  return name === undefined ? Promise.resolve(undefined) : store.fleets.get(name)
}

export async function explainResources(
  context: Context,
  name: string,
  { limit = 100, after }: Paging,
): Promise<Page<ResourceExplanation>> {
  const stack = await findStack(context, name)
  const { found, next } = await context.store.ownership.newest(stack.id, { limit, after })
  const kindNamed = kindLookup(context, stack)
  return {
    items: found.map((one) => resourceExplanation(stack, one, kindNamed)),
    next,
  }
}

/** The resources of a stack without parts, most recent change first, with what a graph of all shows. */
export async function listStackResources(
  context: Context,
  name: string,
  { limit = 100, after }: Paging,
): Promise<Page<StackResource>> {
  const stack = await findStack(context, name)
  const { ownership } = context.store
  const { found, next } = await ownership.newest(stack.id, { limit, after })
  const parts = groupBy([...(await ownership.of(stack.id)).values()], ({ partOf }) => partOf)
  const drifted = new Set(
    (await context.store.stacks.drift(stack.id))?.resources.map((one) => one.partOf ?? one.address),
  )
  const unhealthy = new Map((stack.unhealthy?.first ?? []).map(({ address, reason }) => [address, reason]))
  const kindNamed = kindLookup(context, stack)
  const items = found.map((one) => ({
    ...resourceExplanation(stack, one, kindNamed),
    needs: one.owned.needs,
    parts: (parts.get(one.owned.address) ?? []).map(({ address }) => address),
    unhealthy: unhealthy.get(one.owned.address) ?? null,
    drift: drifted.has(one.owned.address),
  }))
  return { items, next }
}

/** What the last drift check of a stack found, as it is stored: reads neither source nor target. */
export async function getDrift(context: Context, name: string): Promise<DriftView> {
  const stack = await findStack(context, name)
  return viewDrift(stack, await context.store.stacks.drift(stack.id))
}

/** Reads the resource from its target, too. An unreachable target is no error: `driftUnknown` has its message. */
export async function explainResource(
  context: Context,
  name: string,
  address: string,
  signal?: AbortSignal,
): Promise<ResourceDetail> {
  const stack = await findStack(context, name)
  const { ownership, runs } = context.store
  const found = await ownership.explained(stack.id, address)
  if (found === undefined)
    throw new Refused('not-found', `${name} has no ${address}.`, {
      code: 'resources/unknown',
      hint: `List its resources: gitmoor stack get ${name}`,
    })
  const { owned } = found
  const all = [...(await ownership.of(stack.id)).values()]
  const claims = await claimsOn(context, stack, owned)
  const owner = claims?.owner(familyOf(owned.address), owned.identity)
  const run = owned.changed === undefined ? undefined : await runs.get(owned.changed.run)
  const drift = await resourceDrift(context, stack, owned, signal)
  return {
    ...resourceExplanation(stack, found, kindLookup(context, stack)),
    partOf: owned.partOf ?? null,
    parts: all.filter(({ partOf }) => partOf === owned.address).map((one) => one.address),
    needs: owned.needs,
    ...(owned.edges === undefined ? {} : { edges: owned.edges }),
    neededBy: all.filter(({ needs }) => needs.includes(owned.address)).map((one) => one.address),
    owner: owner === undefined ? null : { stack: owner.stackName, address: owner.owned.address },
    sharers: claims?.sharers(familyOf(owned.address), owned.identity).map(({ stackName }) => stackName) ?? [],
    ignored: stack.spec.ignore.filter(({ family }) => family === familyOf(owned.address)).map(({ path }) => path),
    ...drift,
    change: run?.plan?.changes.find((change) => change.address === owned.address) ?? null,
    blockers: stackBlockers(await readStatusInputWithPlan(context, stack)).map(viewBlocker),
  }
}

/** undefined: the target is no longer declared, so the owner is unknown. */
async function claimsOn(
  context: Context,
  { id, spec }: Stack,
  { address, identity }: Pick<Owned, 'address' | 'identity'>,
): Promise<Claims | undefined> {
  const { targets, store } = context.sync
  if (!targets.has(spec.target)) return undefined
  return store.ownership.claims({ stack: id, target: targets.liveSystem(spec.target) }, [
    { family: familyOf(address), identity },
  ])
}

function pollDelays(context: Context, { spec }: Stack): readonly PollDelay[] {
  const { delays } = context.scheduler.polls
  return [...new Set(spec.sources.flatMap((source) => delays.get(remoteOf(context, source, spec.name)) ?? []))]
}

function kindLookup(context: Context, { spec }: Stack): KindNamed {
  return kindsByName(context.sync.targets.known(spec.target))
}

/** When the current revision was first observed. For sources without a channel: when it was last observed. */
async function observation(
  context: Context,
  source: SourceSpec,
  stack: string,
): Promise<Omit<FollowedSource, 'source'>> {
  const remote = remoteOf(context, source, stack)
  const poll = context.scheduler.polls.last(remote)
  if (source.kind !== 'git')
    return { poll, observedAt: poll === undefined || poll.failure !== null ? null : poll.at, move: undefined }
  const { channels } = context.store
  const [move] = await channels.moves(remote, source.ref, { limit: 1 })
  return { poll, observedAt: (await channels.of(remote)).get(source.ref)?.seenAt ?? null, move }
}

function resourceExplanation(
  { spec }: Stack,
  { owned, cause }: ExplainedResource,
  kindNamed: KindNamed,
): ResourceExplanation {
  const { address, identity, kind, applied, adopted, shared, changed } = owned
  return {
    address,
    kind,
    id: identity,
    displayName: kindNamed(kind, address)?.displayName?.(applied) ?? nameIn(address),
    shared: shared === true,
    adopted,
    protected: isProtected(address, spec.protect),
    lastChange:
      changed === undefined ? null : { ...changed, at: isoTime(changed.at), cause: cause && causeText(cause) },
  }
}

function nameIn(address: Address): string {
  return address.slice(address.indexOf('/') + 1)
}
