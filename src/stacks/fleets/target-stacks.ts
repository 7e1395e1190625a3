// The stacks of a fleet of targets: which targets it lists, the stack of each, and why one left. Pure.
import { compareText } from '../../lib/text/compare-text.js'
import type { Checked, Problem } from '../../model/problem.js'
import type { FleetTargets, TargetFleet } from '../../model/stacks/fleet.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import type { Target } from '../../platform/platform.js'
import { correction } from '../../settings/did-you-mean.js'
import { matchesLabels, parseSelector } from '../../settings/labels.js'
import { fleetProblem } from './fleet-problem.js'

type Named = Pick<Target, 'name' | 'labels'>

/** The names of the targets of a fleet, sorted. `declared`: all targets. Names may be of targets that do not exist. */
export function listedTargets(from: FleetTargets, declared: readonly Named[]): readonly string[] {
  if ('names' in from) return from.names.toSorted(compareText)
  const conditions = parseSelector(from.selector)
  if ('position' in conditions) return [] // only if a later version stored it
  return declared
    .filter(({ labels = {} }) => matchesLabels(labels, conditions))
    .map(({ name }) => name)
    .sort(compareText)
}

/** A stack for each target, `FLEET.TARGET`. With problems, there are none: a fleet changes all its stacks, or none. */
export function targetStacks(spec: TargetFleet, declared: readonly Named[]): Checked<readonly StackSpec[]> {
  const listed = listedTargets(spec.targets, declared)
  const problems = [...countProblems(spec, listed.length), ...unknownProblems(spec, listed, declared)]
  if (problems.length > 0) return { value: [], problems }
  const value = listed.map((target) => ({ ...spec.template, name: `${spec.name}.${target}`, target }))
  return { value, problems }
}

/** Why the stack of a target is not declared any more: `target us1 does not match env=prod of fleet boards`. */
export function departure({ name, targets }: TargetFleet, target: string, declared: readonly Named[]): string {
  if (!declared.some((one) => one.name === target)) return `target ${target} of fleet ${name} is no longer declared`
  return 'names' in targets
    ? `fleet ${name} does not list target ${target}`
    : `target ${target} does not match ${targets.selector} of fleet ${name}`
}

function countProblems({ name, targets, maxStacks }: TargetFleet, count: number): readonly Problem[] {
  if (count === 0 && 'selector' in targets) {
    const message = `No target matches ${targets.selector}.`
    const hint = `The stacks of fleet ${name} stay. To delete them, delete the fleet, then each stack.`
    return [fleetProblem('fleets/empty', message, `Change \`targets.selector\`, or label a target. ${hint}`)]
  }
  if (count <= maxStacks) return []
  const message = `${count} targets match, and fleet ${name} may have ${maxStacks} stacks (maxStacks).`
  return [fleetProblem('fleets/too-many', message, 'Change `targets`, or raise `maxStacks`.')]
}

function unknownProblems(
  { name: fleet }: TargetFleet,
  listed: readonly string[],
  declared: readonly Named[],
): readonly Problem[] {
  const names = declared.map(({ name }) => name)
  return listed
    .filter((name) => !names.includes(name))
    .map((name) => {
      const unused = names.filter((one) => !listed.includes(one))
      const { hint } = correction(name, unused, `Targets of the configuration file: ${names.join(', ')}.`)
      const message = `Fleet ${fleet} lists the target ${name}, which is not declared.`
      return fleetProblem('fleets/target-unknown', message, hint)
    })
}
