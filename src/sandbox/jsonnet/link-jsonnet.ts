// Links files that import each other to one program without imports. Each file becomes a variable, which Jsonnet
// evaluates at most once and only if needed, like an import.
import { countLines, readUnits, tooLarge, type Unit, beyond, linkBounds } from './jsonnet-units.js'
import type { JsonnetProblem } from '../sandbox.js'

/** One variable of the program. */
export interface Binding {
  readonly file: string
  /** `name = (…)`. The code of a file starts in the second line. */
  readonly code: string
  readonly lines: number
}

/** `uses`: its own binding first, then all that it needs. `result`: the name of its own binding. */
interface EntryPoint {
  readonly path: string
  readonly result: string
  readonly uses: readonly number[]
}

export interface LinkedJsonnet {
  readonly bindings: readonly Binding[]
  readonly entries: readonly EntryPoint[]
  readonly imported: ReadonlySet<string>
  readonly problems: readonly JsonnetProblem[]
}

/** Takes linear time, up to `linkBounds`. */
export function linkJsonnet(files: ReadonlyMap<string, string>): LinkedJsonnet {
  const { units, imported, problems } = readUnits(files)
  if (problems.length > 0) return { bindings: [], entries: [], imported, problems }
  const { entries, tooMany } = entriesOf(units, imported)
  const fault = tooMany ?? findImportCycle(units, entries)
  if (fault !== undefined) return { bindings: [], entries: [], imported, problems: [fault] }
  const prefix = unusedName(units.filter(({ how }) => how === 'import').map(({ text }) => text))
  return {
    bindings: units.map((unit, place) => bindingOf(unit, place, prefix)),
    entries: entries.map(({ path, uses }) => ({ path, uses, result: `${prefix}${uses[0]!}` })),
    imported,
    problems: [],
  }
}

type Reached = Pick<EntryPoint, 'path' | 'uses'>

function entriesOf(
  units: readonly Unit[],
  imported: ReadonlySet<string>,
): { readonly entries: readonly Reached[]; readonly tooMany?: JsonnetProblem } {
  const entries: Reached[] = []
  let left: number = linkBounds.followed
  for (const [place, unit] of units.entries()) {
    const { file } = unit
    if (!isCandidate(unit) || imported.has(file)) continue
    if (entries.length === linkBounds.entries) return { entries, tooMany: tooLarge(file, beyond.entries) }
    const { uses, followed } = reach(units, place, left)
    left -= followed
    if (left < 0) return { entries, tooMany: tooLarge(file, beyond.followed) }
    entries.push({ path: file, uses })
  }
  return { entries }
}

function isCandidate({ how, file }: Unit): boolean {
  return how === 'import' && file.endsWith('.jsonnet')
}

/** The units that are needed from there, itself first. `followed`: the number of imports; stops over `most`. */
function reach(
  units: readonly Unit[],
  from: number,
  most: number,
): { readonly uses: readonly number[]; readonly followed: number } {
  const uses = new Set([from])
  let followed = 0
  for (const at of uses) {
    const { needs } = units[at]!
    followed += needs.length
    if (followed > most) break
    for (const next of needs) uses.add(next)
  }
  return { uses: [...uses], followed }
}

/** Files that only import each other have no entry point. */
function findImportCycle(units: readonly Unit[], entries: readonly Reached[]): JsonnetProblem | undefined {
  const reached = new Set<number>()
  for (const { uses } of entries) for (const place of uses) reached.add(place)
  const lost = units.find((unit, place) => isCandidate(unit) && !reached.has(place))
  if (lost === undefined) return undefined
  const message = 'it imports files that import it, so there is no entry point.'
  return {
    file: lost.file,
    line: 1,
    code: 'sandbox/import-cycle',
    message,
    hint: 'Rename files that are only imported to .libsonnet.',
  }
}

function bindingOf(unit: Unit, place: number, prefix: string): Binding {
  const code = `${prefix}${place} = (\n${codeOf(unit, prefix)}\n)`
  return { file: unit.file, code, lines: countLines(code) }
}

function codeOf({ how, text, edits, imports }: Unit, prefix: string): string {
  if (how === 'importstr') return JSON.stringify(text)
  if (how === 'importbin') return `[${Buffer.from(text).join(',')}]`
  // the variable replaces the import, with the same number of lines
  const names = imports.map(({ start, end, place }) => {
    return { start, end, code: ` ${prefix}${place} ${'\n'.repeat(countLines(text.slice(start, end)) - 1)}` }
  })
  return edited(text, [...edits, ...names])
}

function edited(
  text: string,
  edits: readonly { readonly start: number; readonly end: number; readonly code: string }[],
): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, code } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, start), code)
    at = end
  }
  return parts.join('') + text.slice(at)
}

/**
 * A prefix that no text contains: `file_0_`, or the next free number. Each text is read once, and the prefix stays
 * short.
 */
function unusedName(texts: Iterable<string>): string {
  const used = new Set<string>()
  for (const text of texts) for (const [, number = ''] of text.matchAll(/file_(\d+)_/g)) used.add(number)
  let free = 0
  while (used.has(String(free))) free++
  return `file_${free}_`
}
