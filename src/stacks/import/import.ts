// stacks/import: a new stack that takes over existing resources. Takes settings, and the id of a stack that the system
// behind the target keeps; gives what the new stack owns, and its first plan. Promises: the target is only read, and
// resources keep their ids; if the first plan writes, a person decides when it is applied.
import { compareText } from '../../lib/text/compare-text.js'
import { printable } from '../../lib/text/printable.js'
import { withoutUndefined } from '../../lib/without-undefined.js'
import type { Plan } from '../../model/resources/change.js'
import { Refused } from '../../model/errors.js'
import type { Owned } from '../../model/resources/resource.js'
import type { Stack, StackSpec, Suspension } from '../../model/stacks/stack.js'
import { writesTarget } from '../../plan/counts.js'
import type { ForeignStack } from '../../platform/platform.js'
import type { ImportView } from '../../views/packages/import.js'
import { checkNewStack } from '../changes/new-stack.js'
import { firstRevision } from '../changes/plan-new-stack.js'
import { onLiveSystem, type Context } from '../context.js'
import { toDnsLabel } from '../discover/stack-names.js'
import { packageGraph } from '../load-package/read-declared.js'
import { refuseOwned } from '../ownership/adopt-resources.js'
import { planStack, type Planned } from '../plans/plan-stack.js'
import { loadRevision } from '../plans/preview.js'
import { planBlockers } from '../plans/plan-blockers.js'
import { versionsIn } from '../queries/channel-facts.js'
import { getStack } from '../queries/queries.js'
import { resourceRows, viewPlan } from '../queries/view-stack.js'
import { inSlices } from '../../lib/async/steps.js'
import { desiredState } from '../sync.js'
import { kindsByName } from '../targets.js'
import { findForeignStack, existingResources, type LeftOut } from './foreign-stack.js'
import { asDeclared, matchingResources } from './declared-resources.js'

/** `stackID`: of the foreign stack; absent: the new stack takes over what its package declares. */
export interface ImportRequest {
  readonly stackID?: string
  /** Default name: from that of the foreign stack. */
  readonly spec: Omit<StackSpec, 'name'> & { readonly name?: string }
}

/** What an import would store, and what people see of it. */
interface PreparedImport {
  readonly stack: Stack
  readonly own: readonly Owned[]
  /** The first plan writes to the target, and no setting makes it wait for approval. */
  readonly isHeld: boolean
  readonly view: Omit<ImportView, 'stack' | 'run'>
}

/**
 * Creates the stack with its resources. It is suspended if its first plan would be applied without approval. Errors:
 * those of `createStack` and of its first plan; `Refused` not-found (the foreign stack), conflict (another stack owns a
 * resource).
 */
export async function importStack(
  context: Context,
  request: ImportRequest,
  by: string,
  signal: AbortSignal,
): Promise<ImportView> {
  return onLiveSystem(context, request.spec.target, signal, async () => {
    const { stack: planned, own, isHeld, view } = await prepareImport(context, request, signal)
    const { stack, run } = await context.store.stacks.create(planned.spec, {
      managedBy: 'api',
      target: context.sync.targets.liveSystem(planned.spec.target),
      cause: { kind: 'created', by, note: importNote(request) },
      own,
      ...(isHeld ? { suspended: suspension(context, planned, by) } : {}),
    })
    context.scheduler.follow(stack)
    return { ...view, stack: await getStack(context, stack.id), run: run.id }
  })
}

/** The same, without creating the stack. Stores nothing. */
export async function previewImport(
  context: Context,
  request: ImportRequest,
  signal: AbortSignal,
): Promise<ImportView> {
  return { ...(await prepareImport(context, request, signal)).view, stack: null, run: null }
}

async function prepareImport(context: Context, request: ImportRequest, signal: AbortSignal): Promise<PreparedImport> {
  const { sync } = context
  const foreign = await foreignStackOf(context, request, signal)
  const stack = await checkNewStack(context, specOf(request, foreign))
  const { spec } = stack
  const revision = await firstRevision(context, spec, signal)
  const loaded = await loadRevision(context, stack, revision, signal)
  const graph = await packageGraph(loaded, stack, sync, signal)
  return sync.targets.reach(spec.target, { stack: spec.name }, signal, async (reached) => {
    const listed = foreign?.resources ?? (await matchingResources(context, graph.resources, reached, signal))
    const { own: found, leftOut } = await existingResources(listed, reached, signal)
    await refuseOwned(context, spec, found)
    const plan = (own: readonly Owned[]): Promise<Planned> => {
      const owned = new Map(own.map((one) => [one.address, one]))
      return planStack(stack, { ...desiredState(graph, revision), owned }, { ...sync, ...reached }, signal)
    }
    const takesAll = foreign === undefined
    const own = asDeclared(found, graph.resources, await plan(found), { takesAll })
    const planned = await plan(own)
    const problems = [...graph.problems, ...planned.problems]
    const blockers = await planBlockers(context, stack, { isDesired: true })
    const shown = viewPlan(planned.plan, stack, problems)
    const isHeld = writes(planned.plan) && spec.apply !== 'approval'
    return {
      stack,
      own,
      isHeld,
      view: {
        name: spec.name,
        target: spec.target,
        from: foreign === undefined ? null : { id: foreign.id, name: foreign.name, description: foreign.description },
        taken: await inSlices(resourceRows(own.toSorted(byAddress), kindsByName(reached.platform))),
        leftOut: leftOut.map(viewLeftOut),
        plan: { ...shown, blockers, ...(await versionsIn(context, stack, [revision])) },
        held: isHeld,
        warnings: foreign?.warnings ?? [],
      },
    }
  })
}

async function foreignStackOf(
  context: Context,
  { stackID, spec }: ImportRequest,
  signal: AbortSignal,
): Promise<ForeignStack | undefined> {
  context.sync.targets.refuseUnknown(spec.target)
  if (stackID === undefined) return undefined
  return context.sync.targets.reach(spec.target, {}, signal, (reached) =>
    findForeignStack(stackID, spec.target, reached, signal),
  )
}

/** The foreign stack gives the name, and what people see of the stack, unless the request does. */
function specOf({ spec, stackID }: ImportRequest, foreign: ForeignStack | undefined): StackSpec {
  const name = spec.name ?? (foreign && toDnsLabel(foreign.name, `imported-${stackID!.slice(0, 8)}`))
  if (name === undefined)
    throw new Refused('usage', 'The new stack has no name.', {
      code: 'stacks/import-name',
      hint: 'Name it, or name the stack of the target to take over.',
    })
  const { name: foreignName = '', description = '' } = foreign ?? {}
  const shown = withoutUndefined({
    displayName: foreignName === '' || foreignName === name ? undefined : shownName(foreignName),
    description: description === '' ? undefined : shownDescription(description),
  })
  return { ...shown, ...spec, name }
}

const mostDisplayName = 100
const mostDescription = 1_000

/** The system may allow characters that gitmoor does not. */
function shownName(name: string): string {
  return printable(name).slice(0, mostDisplayName)
}

function shownDescription(description: string): string {
  const lines = description.slice(0, mostDescription).split('\n')
  return lines.map(printable).join('\n').slice(0, mostDescription)
}

function byAddress(a: Owned, b: Owned): number {
  return compareText(a.address, b.address)
}

function writes({ changes }: Plan): boolean {
  return changes.some(writesTarget)
}

function importNote({ stackID }: ImportRequest): string {
  return stackID === undefined ? 'imports existing resources' : `imports stack ${stackID} of the target`
}

function suspension({ clock }: Context, { spec: { name } }: Stack, by: string): Suspension {
  const reason = `imported: see its first plan (gitmoor plan ${name}), then resume it`
  return { reason, by, until: null, at: clock.now() }
}

function viewLeftOut({ family, name, identity, why }: LeftOut): ImportView['leftOut'][number] {
  return { kind: family, name, id: identity, why }
}
