// Dependencies between stacks: whether they are ready, and whether they are valid.
import { shellWord } from '../../lib/text/shell-word.js'
import { command, edit, hintOf, type NextStep } from '../../model/stacks/blocker.js'
import { Refused } from '../../model/errors.js'
import type { Run } from '../../model/stacks/run.js'
import { isUndeclared, type Stack, type StackSpec } from '../../model/stacks/stack.js'
import { ownerText } from '../../model/stacks/stack-owner.js'
import type { Store } from '../../store/store.js'
import { everyStack } from '../stacks.js'
import type { StatusInput } from '../../status/axes.js'
import { dependency, type Dependency } from '../../status/dependency.js'

/** Whether the stacks of these names are ready. */
export async function readDependencies(
  names: readonly string[],
  store: Pick<Store, 'stacks' | 'runs'>,
  statusInput: (stack: Stack, last: Run | undefined) => StatusInput,
): Promise<readonly (Dependency & { readonly id: string | undefined })[]> {
  const found = await Promise.all(names.map((name) => store.stacks.get(name)))
  const last = await store.runs.last(found.flatMap((stack) => stack?.id ?? []))
  return names.map((name, at) => {
    const stack = found[at]
    const input = stack?.spec.name === name ? statusInput(stack, last.get(stack.id)) : undefined
    return { ...dependency(name, input), id: input?.stack.id }
  })
}

/**
 * Why the dependencies of a stack are invalid: one does not exist, or depends on this stack. undefined: they are valid.
 * `declared`: what stacks with new settings depend on, with this one; others are stored.
 */
export async function dependencyRefusal(
  { name, dependsOn }: StackSpec,
  declared: ReadonlyMap<string, readonly string[]>,
  { stacks }: Pick<Store, 'stacks'>,
): Promise<Refused | undefined> {
  const known = new Map<string, readonly string[]>()
  const reached = new Set([name])
  for (const one of reached) {
    const needs = declared.get(one) ?? (await storedDependencies(one, stacks))
    if (needs !== undefined) known.set(one, needs)
    for (const next of needs ?? []) reached.add(next)
  }
  const missing = dependsOn.filter((one) => !known.has(one))
  if (missing.length > 0) return unknownDependency(name, missing)
  const cycle = cycleFrom(name, known)
  return cycle && cycleRefusal(cycle)
}

async function storedDependencies(name: string, stacks: Store['stacks']): Promise<readonly string[] | undefined> {
  const stack = await stacks.get(name)
  return stack?.spec.name === name ? stack.spec.dependsOn : undefined
}

function unknownDependency(name: string, missing: readonly string[]): Refused {
  return new Refused('usage', `${name} would depend on ${missing.join(', ')}, but no such stack exists.`, {
    code: 'stacks/dependency-unknown',
    hint: `Correct \`dependsOn\` of ${name}, or create the stack first. List the stacks: gitmoor stack list`,
  })
}

function cycleRefusal(cycle: readonly string[]): Refused {
  return new Refused('usage', `Stacks would wait for each other: ${cycle.join(' → ')}.`, {
    code: 'stacks/dependency-cycle',
    hint: 'Remove one of these stacks from `dependsOn` of another one.',
  })
}

/** The shortest cycle through a stack, from its first name in alphabetical order: `a b a`. undefined: there is none. */
export function cycleFrom(
  name: string,
  dependsOn: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const seen = new Set<string>()
  const paths: (readonly string[])[] = [[name]]
  for (const path of paths)
    for (const next of dependsOn.get(path.at(-1)!) ?? []) {
      if (next === name) return fromFirst(path)
      if (!seen.has(next)) paths.push([...path, next])
      seen.add(next)
    }
  return undefined
}

function fromFirst(names: readonly string[]): readonly string[] {
  const at = names.indexOf(names.toSorted()[0]!)
  return [...names.slice(at), ...names.slice(0, at), names[at]!]
}

/** The most dependents that are named. */
const mostNamed = 10

/** Throws if other stacks depend on it. */
export async function refuseNeeded({ spec: { name } }: Stack, store: Pick<Store, 'stacks'>): Promise<void> {
  const needing = await dependents(name, store)
  if (needing.length === 0) return
  const names = needing.slice(0, mostNamed).map(({ spec }) => spec.name)
  throw new Refused(
    'conflict',
    `${names.join(', ')}${needing.length > mostNamed ? ' and others' : ''} ` +
      `${needing.length === 1 ? 'depends' : 'depend'} on ${name}.`,
    {
      code: 'stacks/needed',
      hint: hintOf(needing.slice(0, names.length).map((stack) => dependencyRemoval(stack, name))),
    },
  )
}

/** How the stacks that depend on it stop doing so: the first ten. */
export async function dependencyRemovals(
  { spec: { name } }: Stack,
  store: Pick<Store, 'stacks'>,
): Promise<readonly NextStep[]> {
  const needing = await dependents(name, store)
  return needing.slice(0, mostNamed).map((stack) => dependencyRemoval(stack, name))
}

async function dependents(name: string, store: Pick<Store, 'stacks'>): Promise<readonly Stack[]> {
  const needing: Stack[] = []
  for await (const stack of everyStack(store)) if (stack.spec.dependsOn.includes(name)) needing.push(stack)
  return needing
}

/** How a stack stops depending on `name`. */
function dependencyRemoval(needing: Stack, name: string): NextStep {
  const { spec, managedBy } = needing
  const { name: stack, dependsOn } = spec
  if (isUndeclared(needing))
    return command(`Delete ${stack} first`, 'stack delete', { stack }, `gitmoor stack delete ${stack}`)
  if (managedBy !== 'api') return edit(`Remove ${name} from \`dependsOn\` of ${stack} in ${ownerText(managedBy)}`)
  const rest = dependsOn.filter((one) => one !== name).join(',')
  return command(
    `Remove ${name} from \`dependsOn\` of ${stack}`,
    'stack set',
    { stack, option: `--depends-on ${shellWord(rest)}` },
    `gitmoor stack set ${stack} --depends-on ${shellWord(rest)}`,
  )
}
