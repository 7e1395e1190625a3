// Template stacks: the stacks of the InfluxDB API. Nothing here writes to the target.
import { randomBytes } from 'node:crypto'
import { familyOf, type Address } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import { inSlices } from '../../lib/async/steps.js'
import { type Stack, type StackSpec } from '../../model/stacks/stack.js'
import { stackDefaults } from '../../settings/stack-settings.js'
import type { NewTemplateStack, TemplateStackChange, TemplateStackView } from './template-stack.js'
import type { Context } from '../../stacks/context.js'
import { toDnsLabel } from '../../stacks/discover/stack-names.js'
import { everyStack, findChangeableStack, findStackById } from '../../stacks/stacks.js'
import { adopt, kindFor } from '../../stacks/ownership/adopt-resources.js'
import { addressesWithParts, whileSettled } from '../../stacks/ownership/ownership.js'
import { apiVersions, viewEvents } from './stack-events.js'
import type { Reached } from '../../stacks/targets.js'
import { findOrganisation, organisationId } from './organisations.js'

const mostEvents = 500
const hourMs = 3_600_000

/** Creates a stack for pushed packages. Its URLs are fetched at each apply. Fetches and applies nothing. */
export async function createTemplateStack(
  context: Context,
  { orgID, name, description, urls }: NewTemplateStack,
  by: string,
): Promise<TemplateStackView> {
  const { targets } = context.sync
  const organisation = findOrganisation(targets, orgID)
  const id = randomBytes(8).toString('hex')
  const stackName = `${toDnsLabel(name.slice(0, 40), 'stack')}-${id.slice(0, 8)}`
  const defaults = templateStackSpec(organisation.target, stackName)
  const spec = { ...defaults, displayName: name, description, sources: [inlineSource(urls)] }
  const target = targets.liveSystem(spec.target)
  const { stack } = await context.store.stacks.create(spec, {
    id,
    managedBy: 'api',
    target,
    cause: { kind: 'created', by },
    quietly: true,
  })
  context.scheduler.follow(stack)
  return viewTemplateStack(context, stack)
}

/** The stacks of an organisation: all, or those that have one of the names or ids. */
export async function listTemplateStacks(
  context: Context,
  { orgID, names, ids }: { readonly orgID: string; readonly names: readonly string[]; readonly ids: readonly string[] },
): Promise<readonly TemplateStackView[]> {
  const isAll = names.length + ids.length === 0
  const isChosen = ({ id, spec }: Stack): boolean =>
    isAll || ids.includes(id) || names.includes(spec.displayName ?? spec.name)
  const candidates = names.length === 0 && !isAll ? await context.store.stacks.many(ids) : everyStack(context.store)
  const found: TemplateStackView[] = []
  for await (const stack of candidates)
    if (organisationBehind(context, stack) === orgID && isChosen(stack))
      found.push(await viewTemplateStack(context, stack))
  return found
}

export async function getTemplateStack(context: Context, id: string): Promise<TemplateStackView> {
  return viewTemplateStack(context, await findStackById(context, id))
}

/** Changes name, URLs and ownership. */
export async function changeTemplateStack(
  context: Context,
  id: string,
  change: TemplateStackChange,
  by: string,
  signal: AbortSignal,
): Promise<TemplateStackView> {
  await findStackById(context, id)
  const before = await findChangeableStack(context, id)
  const spec = changedSpec(before, change)
  await whileSettled(context, before, signal, async (reached) => {
    const own = await adopt(context, before, change.adopt, reached, signal)
    const untrack = await untrackedAddresses(context, before, change.untrack, reached)
    const cause = { kind: 'person', by, note: 'template stack changed' } as const
    return context.store.stacks.changeOwnership({ stack: before.id, cause, spec, own, untrack })
  })
  const stack = await findStackById(context, id)
  context.scheduler.follow(stack)
  return viewTemplateStack(context, stack)
}

/** The settings of a new stack of `/api/v2`: it may lose data, and its drift is reported, not corrected. */
export function templateStackSpec(target: string, name: string): StackSpec {
  const settings = { drift: 'report', dataLoss: 'allow', driftIntervalMs: hourMs, intervalMs: hourMs } as const
  return { ...stackDefaults, ...settings, name, displayName: '', target, sources: [{ kind: 'inline' }] }
}

/** With parts. Resources that the stack does not own are left out. */
async function untrackedAddresses(
  { store }: Context,
  stack: Stack,
  untrack: TemplateStackChange['untrack'],
  { platform }: Reached,
): Promise<readonly Address[]> {
  const all = await store.ownership.of(stack.id)
  const identities = new Set(untrack.map(({ kind, id }) => `${kindFor(platform, kind).family}/${id}`))
  const some = [...all.values()].filter(({ address, identity }) => identities.has(`${familyOf(address)}/${identity}`))
  return addressesWithParts(some, all)
}

/** undefined: the target is no longer declared. */
function organisationBehind({ sync: { targets } }: Context, { spec }: Stack): string | undefined {
  return targets.has(spec.target) ? organisationId(targets, spec.target) : undefined
}

async function viewTemplateStack(context: Context, stack: Stack): Promise<TemplateStackView> {
  const events = await context.store.runs.events(stack.id, mostEvents)
  const versions = apiVersions(context.sync.targets.known(stack.spec.target))
  return {
    id: stack.id,
    orgID: organisationBehind(context, stack) ?? '',
    createdAt: stack.createdAt,
    events: await inSlices(viewEvents(stack, events, versions)),
  }
}

function changedSpec({ spec }: Stack, { name, description, urls }: TemplateStackChange): StackSpec {
  if (urls !== undefined && urls.length > 0 && !spec.sources.some(({ kind }) => kind === 'inline'))
    throw new Refused('conflict', `${spec.name} follows a source, so it cannot have template URLs.`, {
      code: 'stacks/not-inline',
      hint: `Change its source: gitmoor stack set ${spec.name}`,
    })
  return {
    ...spec,
    ...(name === undefined ? {} : { displayName: name }),
    ...(description === undefined ? {} : { description }),
    sources:
      urls === undefined
        ? spec.sources
        : spec.sources.map((source) => (source.kind === 'inline' ? inlineSource(urls) : source)),
  }
}

function inlineSource(urls: readonly string[]): StackSpec['sources'][number] {
  return urls.length === 0 ? { kind: 'inline' } : { kind: 'inline', urls }
}
