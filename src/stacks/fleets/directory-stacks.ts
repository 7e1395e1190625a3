// The stacks of a fleet of directories: which directories match, and the stack of each. Pure.
import { compareText } from '../../lib/text/compare-text.js'
import { matchesPath } from '../../lib/text/path-pattern.js'
import { showText } from '../../lib/text/printable.js'
import type { DirectoryFleet, FleetDirectories } from '../../model/stacks/fleet.js'
import { fleetProblem } from './fleet-problem.js'
import type { Checked, Problem } from '../../model/problem.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import { isDeclaring, isPackageFile } from '../../package/package-files.js'
import { placeholder } from '../../settings/documents/fleet-document.js'

/** Directories with package files at or below them that the patterns select, by path. `paths`: of all files. */
export function matchingDirectories(
  { include, exclude }: Pick<FleetDirectories, 'include' | 'exclude'>,
  paths: Iterable<string>,
): readonly string[] {
  const directories = new Set<string>()
  for (const path of paths)
    if (isPackageFile(path) && isDeclaring(path))
      for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
        const directory = path.slice(0, at)
        if (directories.has(directory)) break
        directories.add(directory)
      }
  const isAny = (patterns: readonly string[], path: string): boolean => patterns.some((one) => matchesPath(one, path))
  return [...directories].filter((path) => isAny(include, path) && !isAny(exclude, path)).sort(compareText)
}

/** A stack for each directory. With problems, there are none: a fleet changes all of its stacks, or none. */
export function directoryStacks(spec: DirectoryFleet, found: readonly string[]): Checked<readonly StackSpec[]> {
  const problems = [...countProblems(spec, found), ...nestedProblems(spec, found), ...nameProblems(spec, found)]
  if (problems.length > 0) return { value: [], problems }
  const { repo: url, ref } = spec.directories
  const value = found.map((path) => {
    const sources = [{ kind: 'git', url, ref, path }] as const
    return { ...spec.template, name: stackName(spec, path), sources }
  })
  return { value, problems }
}

/** What names its stacks: `teams/web at stable@2f1c9ab`. */
export function directoryText({ sources: [source] }: StackSpec, revision: string): string {
  return source?.kind === 'git' ? `${source.path} at ${revision}` : revision
}

function countProblems({ name, directories, maxStacks }: DirectoryFleet, found: readonly string[]): readonly Problem[] {
  if (found.length === 0) {
    const { include, repo, ref } = directories
    const message = `No directory of ${showText(repo)} at ${ref} has package files and matches ${include.join(', ')}.`
    const hint = `The stacks of fleet ${name} stay. To delete them, delete the fleet, then each stack.`
    return [fleetProblem('fleets/empty', message, `Change \`include\`, or push a package. ${hint}`)]
  }
  if (found.length <= maxStacks) return []
  const message = `${found.length} directories match, and fleet ${name} may have ${maxStacks} stacks (maxStacks).`
  return [fleetProblem('fleets/too-many', message, 'Change `include` or `exclude`, or raise `maxStacks`.')]
}

/** Directories that contain other ones: both stacks would manage the same resources. */
function nestedProblems({ name }: DirectoryFleet, found: readonly string[]): readonly Problem[] {
  const inner = new Map<string, string[]>()
  const all = new Set(found)
  for (const path of found)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const outer = path.slice(0, at)
      if (!all.has(outer)) continue
      inner.set(outer, [...(inner.get(outer) ?? []), path])
      break
    }
  return [...inner].map(([outer, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    const message =
      `Directories ${showText(outer)} and ${showText(first)}${more} match, and the first contains the second: ` +
      'both stacks would manage the same resources.'
    return fleetProblem(
      'fleets/nested',
      message,
      `Add ${showText(outer)} to \`exclude\` of fleet ${name}, or the others.`,
    )
  })
}

function nameProblems(spec: DirectoryFleet, found: readonly string[]): readonly Problem[] {
  const problems: Problem[] = []
  const named = new Map<string, string>()
  for (const path of found) {
    const name = stackName(spec, path)
    const first = named.get(name)
    const change =
      `Rename the directory, add it to \`exclude\` of fleet ${spec.name}, ` +
      `or change \`directories.name\`, which is ${showText(spec.directories.name)}.`
    if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
      const rule = 'a name has 1 to 63 of a-z, 0-9 and -, with neither a - first nor last.'
      problems.push(
        fleetProblem('fleets/name', `Directory ${showText(path)} gives the name ${showText(name)}; ${rule}`, change),
      )
    } else if (first !== undefined) {
      const message = `Directories ${showText(first)} and ${showText(path)} give the same name ${name}.`
      problems.push(fleetProblem('fleets/same-name', message, change))
    } else named.set(name, path)
  }
  return problems
}

function stackName({ directories: { name } }: DirectoryFleet, path: string): string {
  const names = path.split('/')
  return name.replaceAll(placeholder, (_, basename: string | undefined, index: string | undefined) => {
    const part = index === undefined ? (basename === undefined ? path : names.at(-1)!) : (names[Number(index)] ?? '')
    return asLabel(part)
  })
}

/** Its letters and digits in lower case, with one `-` for all characters between them. */
function asLabel(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}
