// Compares declared stacks with existing ones: which are created, changed and suspended, and which cannot be. Pure.
import type { Problem } from '../../model/problem.js'
import { sourceLocations } from '../../model/sources/source-spec.js'
import { isUndeclared, type Stack, type StackSpec } from '../../model/stacks/stack.js'
import { fleetOf, ownerText } from '../../model/stacks/stack-owner.js'
import { jsonDigest } from '../../plan/digest.js'
import type { MemberOwner } from './member-owner.js'

/**
 * `returns`: the owner declares it again. `joins`: requests own it until now; it is what the owner would create, as
 * after `fleet delete`.
 */
export type MemberChange =
  | { readonly action: 'create'; readonly name: string; readonly spec: StackSpec }
  | {
      readonly action: 'change'
      readonly name: string
      readonly spec: StackSpec
      readonly stack: Stack
      readonly returns: boolean
      readonly joins: boolean
    }
  | { readonly action: 'suspend'; readonly name: string; readonly stack: Stack }

export interface MemberPlan {
  readonly changes: readonly MemberChange[]
  readonly problems: readonly Problem[]
}

/** By name: the stacks of the owner, and others that have a declared name. */
export type ExistingStacks = ReadonlyMap<string, Stack>

type Owner = Pick<MemberOwner, 'managedBy' | 'of' | 'code' | 'rename'>

/** `valid`: the declared stacks that have no problem; the others stay as they are. */
export function planMembers(
  owner: Owner,
  { declared, valid }: { readonly declared: readonly StackSpec[]; readonly valid: readonly StackSpec[] },
  existing: ExistingStacks,
): MemberPlan {
  const names = new Set(declared.map(({ name }) => name))
  const former = [...existing.values()].filter(
    (stack) => stack.managedBy === owner.managedBy && !names.has(stack.spec.name),
  )
  const formerNames = namesByPlace(former)
  const changes: MemberChange[] = []
  const problems: Problem[] = []
  for (const spec of valid) {
    const stack = existing.get(spec.name)
    const joins = stack !== undefined && isJoining(owner, stack, spec)
    const refused = stack === undefined ? renamed(owner, spec, formerNames) : joins ? undefined : taken(owner, stack)
    if (refused !== undefined) problems.push(refused)
    else if (stack === undefined) changes.push({ action: 'create', name: spec.name, spec })
    else changes.push(...changeOf(owner, stack, spec, joins))
  }
  for (const stack of former)
    if (!isUndeclared(stack)) changes.push({ action: 'suspend', name: stack.spec.name, stack })
  return { changes, problems }
}

function changeOf({ managedBy }: Owner, stack: Stack, spec: StackSpec, joins: boolean): readonly MemberChange[] {
  const returns = isUndeclared(joins ? { ...stack, managedBy } : stack)
  if (!returns && !joins && jsonDigest(stack.spec) === jsonDigest(spec)) return []
  return [{ action: 'change', name: spec.name, spec, stack, returns, joins }]
}

/** A stack of requests with the name, directory and target of a stack of a fleet: `fleet delete` leaves such stacks. */
function isJoining({ managedBy }: Owner, stack: Stack, spec: StackSpec): boolean {
  return (
    fleetOf(managedBy) !== undefined &&
    stack.managedBy === 'api' &&
    stack.spec.target === spec.target &&
    sourceLocations(stack.spec) === sourceLocations(spec)
  )
}

function taken(owner: Owner, stack: Stack): Problem | undefined {
  const { managedBy, spec } = stack
  const { name } = spec
  if (managedBy === owner.managedBy) return undefined
  const by =
    managedBy === 'api'
      ? 'a stack of this name was created with the API.'
      : `a stack of this name belongs to ${ownerText(managedBy)}` +
        `${isUndeclared(stack) ? ', which no longer declares it' : ''}.`
  const isDeletable = managedBy === 'api' || isUndeclared(stack)
  const way = isDeletable ? `, or delete the existing stack: gitmoor stack delete ${name}` : '.'
  return problem(owner, name, `Stack ${name} ${owner.of} is not declared: ${by}`, owner.rename + way)
}

/** A new stack does not find dashboards and tasks by name: it would create them a second time. */
function renamed(owner: Owner, spec: StackSpec, formerNames: ReadonlyMap<string, string>): Problem | undefined {
  const former = formerNames.get(placeKey(spec.target, sourceLocations(spec)))
  if (former === undefined) return undefined
  const isFile = owner.managedBy === 'file'
  const [it, keep, apply] = isFile
    ? ['the file', `Keep the name ${former} in the file.`, 'reload the file']
    : ['it', `Let the fleet name it ${former}.`, 'apply the fleet']
  return problem(
    owner,
    spec.name,
    `Stack ${spec.name} ${owner.of} is not declared: it has the sources and the target of ${former}, ` +
      `which ${it} no longer declares, so both would manage the same resources.`,
    `${keep} Or delete ${former}, with --uninstall to delete its resources, too, and ${apply}: ` +
      `gitmoor stack delete ${former}`,
  )
}

/** Names of stacks, by what they manage. Pushed packages have no common place. */
function namesByPlace(stacks: readonly Stack[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { applied, spec } of stacks)
    if (applied !== null && spec.sources.every(({ kind }) => kind !== 'inline'))
      names.set(placeKey(spec.target, applied.place), spec.name)
  return names
}

function placeKey(target: string, place: string): string {
  return `${target} ${place}`
}

function problem({ code }: Pick<Owner, 'code'>, stack: string, message: string, hint: string): Problem {
  return { severity: 'error', code, message, hint, stack }
}
