// stacks/export: resources on targets → a package that declares them. Takes selectors; gives documents and warnings.
// Promises: each target is read once; the same resources get the same names each time; no document contains a secret.
import { familyOf, nameOf } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import { printable, quoted } from '../../lib/text/printable.js'
import type { Problem } from '../../model/problem.js'
import type { Owned } from '../../model/resources/resource.js'
import type { Stack } from '../../model/stacks/stack.js'
import { inSlices, Slices, type Steps } from '../../lib/async/steps.js'
import type { ExportView } from '../../views/packages/export.js'
import { ExportSelection } from './selection.js'
import { dependenciesOf } from './dependencies.js'
import type { ExportRequest } from './export-request.js'
import { nameResources, type OwnedName } from './names.js'
import { isPart } from '../ownership/declaring-kind.js'
import { refuseTarget } from '../resources/find-resource.js'
import { inventoryKey, kindsNamed, readInventory } from './inventory.js'
import type { Inventory, InventoryResource, TargetInventory } from './inventory.js'
import { documentSteps, invalidSteps } from './write-documents.js'
import type { Context } from '../context.js'
import { findStack, findStackById } from '../stacks.js'
import type { TargetPlatform } from '../../platform/platform.js'

/** An exported stack and its resources. */
interface ExportedStack {
  readonly stack: Stack
  /** The live system of its target. */
  readonly system: string
  readonly records: readonly Owned[]
}

/** By live system of the target. */
type Inventories = ReadonlyMap<string, Inventory>

/**
 * Errors: `Refused` not-found (a stack, a target, an id, a name), usage (no selector, an unknown kind); those of the
 * targets.
 */
export async function exportPackage(
  context: Context,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<ExportView> {
  refuseEmpty(request)
  const exported = await exportedStack(context, request)
  const read = await readInventories(context, targetsToRead(context, request, exported), request, signal)
  const inventories = new Map([...read].map(([system, { inventory }]) => [system, inventory]))
  const managed = await managedResources(context, request, inventories)
  const choice = await inSlices(choiceSteps(context, request, exported, { inventories, managed }), signal)
  const owned = await ownedNames(context, choice, exported)
  const names = await inSlices(
    nameResources(
      choice.resources.map(({ resource }) => resource),
      owned,
    ),
    signal,
  )
  const { value: documents, problems } = await inSlices(documentSteps(choice.resources, names), signal)
  const [inventory] = inventories.values()
  const invalid = inventory === undefined ? [] : await inSlices(invalidSteps(documents, inventory.platform), signal)
  return {
    documents,
    problems: [
      ...(takesEverything(request) ? [...read.values()].flatMap(warningsOf) : []),
      ...choice.problems,
      ...problems,
      ...invalid,
      ...(documents.length === 0 ? [nothingFound] : []),
    ],
  }
}

/** Of other exports, a warning that a listing may lack something would be about resources that nobody asked for. */
function takesEverything({ targets = [] }: ExportRequest): boolean {
  return targets.some(({ kinds = [] }) => kinds.length === 0)
}

function warningsOf({ warnings }: TargetInventory): readonly Problem[] {
  return warnings.map((one) => ({ severity: 'warning', ...one }))
}

function* choiceSteps(
  context: Context,
  request: ExportRequest,
  exported: ExportedStack | undefined,
  { inventories, managed }: { readonly inventories: Inventories; readonly managed: ReadonlySet<string> },
): Steps<ExportSelection> {
  const choice = new ExportSelection()
  if (exported !== undefined) addStack(context, exported, choice, inventories)
  for (const selector of request.resources ?? []) {
    yield
    choice.addResource(selector, searched(context, request, inventories))
  }
  for (const selector of request.targets ?? [])
    yield* choice.addTarget(selector, targetInventory(context, selector.target, inventories), managed)
  const { withVariables = false } = request
  yield* choice.addDependencies((chosen) => dependenciesOf(chosen, { withVariables, problems: choice.problems }))
  return choice
}

async function exportedStack(
  context: Context,
  { stack: name, stackID }: ExportRequest,
): Promise<ExportedStack | undefined> {
  if (name === undefined && stackID === undefined) return undefined
  const stack = stackID === undefined ? await findStack(context, name!) : await findStackById(context, stackID)
  const system = context.sync.targets.liveSystem(stack.spec.target, { stack: stack.spec.name })
  const records = [...(await context.store.ownership.of(stack.id)).values()]
  return { stack, system, records: records.filter(({ partOf }) => partOf === undefined) }
}

/** Names of the targets to read. */
function targetsToRead(
  context: Context,
  { resources = [], target, targets = [] }: ExportRequest,
  exported: ExportedStack | undefined,
): readonly string[] {
  const known = context.sync.targets
  const searchedTargets =
    resources.length === 0 ? [] : target === undefined ? known.systems().map((one) => one.target) : [target]
  return [
    ...(exported === undefined ? [] : [exported.stack.spec.target]),
    ...targets.map((one) => one.target),
    ...searchedTargets,
  ]
}

async function readInventories(
  context: Context,
  names: readonly string[],
  request: ExportRequest,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, TargetInventory>> {
  const { targets } = context.sync
  for (const one of request.targets ?? []) await refuseTarget(context, one.target)
  if (request.target !== undefined) await refuseTarget(context, request.target)
  const systems = new Map(names.map((name) => [targets.liveSystem(name), name]))
  const platforms = await Promise.all([...systems.values()].map((name) => targets.platformOf(name, {}, signal)))
  for (const kind of requestedKinds(request))
    if (!platforms.some((platform) => kindsNamed(platform, kind).length > 0)) throw unknownKind(kind, platforms)
  const inventories = await Promise.all(
    [...systems].map(async ([system, name]) => [system, await readInventory(name, targets, signal)] as const),
  )
  return new Map(inventories)
}

function targetInventory(context: Context, target: string, inventories: Inventories): Inventory {
  return inventories.get(context.sync.targets.liveSystem(target))!
}

/** Where the selectors by id and name search. */
function searched(context: Context, { target }: ExportRequest, inventories: Inventories): readonly Inventory[] {
  return target === undefined ? [...inventories.values()] : [targetInventory(context, target, inventories)]
}

/** Keys of the resources that stacks manage, on the targets of selectors that ask for the others. */
async function managedResources(
  { store, sync }: Context,
  { targets = [] }: ExportRequest,
  inventories: Inventories,
): Promise<ReadonlySet<string>> {
  const systems = new Set(targets.filter((one) => one.unmanaged).map((one) => sync.targets.liveSystem(one.target)))
  const managed = new Set<string>()
  for (const system of systems)
    for (const key of (await store.ownership.owners(system, inventories.get(system)!.resources)).keys())
      managed.add(inventoryKey(system, key))
  return managed
}

function addStack(
  context: Context,
  { stack, records }: ExportedStack,
  choice: ExportSelection,
  inventories: Inventories,
): void {
  const inventory = targetInventory(context, stack.spec.target, inventories)
  for (const { address, identity, kind } of records) {
    if (inventory.platform.kinds.some((one) => one.kind === kind && isPart(one))) continue
    const resource = inventory.resource(familyOf(address), identity)
    if (resource === undefined) choice.problems.push(gone(address, stack.spec.name))
    else choice.add({ resource, inventory })
  }
}

async function ownedNames(
  context: Context,
  choice: ExportSelection,
  exported: ExportedStack | undefined,
): Promise<ReadonlyMap<string, OwnedName>> {
  const slices = new Slices()
  const names = new Map<string, OwnedName>()
  for (const [system, resources] of bySystem(choice))
    for (const [key, { stack, address }] of await context.store.ownership.owners(system, resources)) {
      await slices.afterStep()
      names.set(inventoryKey(system, key), { name: nameOf(address), own: false, stack })
    }
  for (const { address, identity } of exported?.records ?? []) {
    await slices.afterStep()
    const owned = { name: nameOf(address), own: true, stack: exported!.stack.spec.name }
    names.set(inventoryKey(exported!.system, `${familyOf(address)}/${identity}`), owned)
  }
  return names
}

function bySystem(choice: ExportSelection): ReadonlyMap<string, readonly InventoryResource[]> {
  const systems = new Map<string, InventoryResource[]>()
  for (const { resource } of choice.resources) {
    const resources = systems.get(resource.system)
    if (resources === undefined) systems.set(resource.system, [resource])
    else resources.push(resource)
  }
  return systems
}

function requestedKinds({ resources = [], targets = [] }: ExportRequest): readonly string[] {
  return [...resources.map(({ kind }) => kind), ...targets.flatMap(({ kinds = [] }) => kinds)]
}

function refuseEmpty({ stack, stackID, resources = [], targets = [] }: ExportRequest): void {
  if (stack === undefined && stackID === undefined && resources.length === 0 && targets.length === 0)
    throw new Refused('usage', 'The request does not say what to export.', {
      code: 'stacks/export-selector',
      hint: 'Name a stack, resources, or a target.',
    })
  for (const { kind, id, name } of resources)
    if (!id && !name)
      throw new Refused('usage', `An entry of kind ${quoted(kind)} has neither id nor name.`, {
        code: 'stacks/export-selector',
        hint: 'Give an id or a name.',
      })
}

function unknownKind(kind: string, platforms: readonly TargetPlatform[]): Refused {
  const kinds = platforms.flatMap((platform) => platform.kinds.filter((one) => !isPart(one)).map((one) => one.kind))
  return new Refused('usage', `There is no kind ${quoted(kind)}.`, {
    code: 'stacks/export-selector',
    hint: `Write one of these kinds, or a family of kinds: ${[...new Set(kinds)].join(', ')}.`,
  })
}

function gone(address: string, stack: string): Problem {
  const message = `${printable(address)} of ${stack} no longer exists on its target; the export leaves it out.`
  return {
    severity: 'warning',
    code: 'stacks/export-gone',
    message,
    hint: `The next sync creates it again: gitmoor sync ${stack}`,
  }
}

const nothingFound: Problem = {
  severity: 'warning',
  code: 'stacks/export-empty',
  message: 'The export is empty: no resource matches.',
  hint: 'List the resources: gitmoor resource list',
}
