// Reads a YAML file for gitmoor itself (configuration, stack document): strictly, with all problems at once, each with
// its line.
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseAllDocuments, visit, type Document, type Node } from 'yaml'
import type { z } from 'zod'
import { pointerTo } from '../../lib/text/json-pointer.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { explainYamlError, type YamlSyntaxError } from '../../lib/text/yaml-syntax.js'
import type { Checked, Problem } from '../../model/problem.js'
import { schemaProblems, printPath } from './schema-problems.js'

export type YamlPath = readonly (string | number)[]

/**
 * The content of a file. `problem` creates a problem at a path, with file and line: the line of the deepest existing
 * step.
 */
export interface YamlFile {
  readonly value: unknown
  readonly problem: (code: string, path: YamlPath, message: string, hint?: string) => Problem
  /** `gitmoor.yaml:12`: the file, and the line as in problems. */
  readonly location: (path: YamlPath) => string
  /** From 1: of the deepest existing step. */
  readonly line: (path: YamlPath) => number
}

/** The size of a configuration file or a stack document. */
export const maximumBytes = 4 * 1024 * 1024
export const maximumAliases = 100
const tooLargeHint = 'Shorten the file. If it is smaller on disk, save it as UTF-8.'

/**
 * `room`: the prefix of problem codes, as in `config/syntax`. An empty file is an empty map. A file whose only faults
 * are duplicate keys has a value, with the last of them, so its other problems are found, too.
 */
export function readYaml(file: string, text: string, room: string): Checked<YamlFile | undefined> {
  if (Buffer.byteLength(text) > maximumBytes)
    return unreadable(
      file,
      `${room}/too-large`,
      `The file is larger than ${maximumBytes / 1024 ** 2} MiB.`,
      tooLargeHint,
    )
  const lines = new LineCounter()
  const [document, ...others] = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  if (document === undefined) return { value: yamlFile(file, {}, undefined, lines), problems: [] }
  if (others.length > 0)
    return unreadable(file, `${room}/several`, 'The file contains several YAML documents. Keep one.')
  const repeated = document.errors.length > 0 ? repeatedKeys(document) : undefined
  const problems = withoutFollowing(document.errors).map(({ message, pos: [offset] }): Problem => {
    const equal = repeated?.get(offset)
    if (equal === undefined)
      return syntaxProblem(file, `${room}/syntax`, explainYamlError(text, offset, message), lines)
    const { line } = lines.linePos(offset)
    const twice = `Duplicate key ${quoted(equal.key)}, first at ${printable(file)}:${lines.linePos(equal.first).line}.`
    return problemAt(file, `${room}/syntax`, [], line, twice, 'Remove one of the two.')
  })
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY'))
    return { value: undefined, problems: distinct(problems) }
  const plain = plainValue(file, document, lines, room)
  return { value: plain.value, problems: [...distinct(problems), ...plain.problems] }
}

/** The output of the schema; undefined if there are problems. */
export function checkYaml<Schema extends z.ZodType>(
  file: YamlFile,
  schema: Schema,
  room: string,
): Checked<z.output<Schema> | undefined> {
  const result = schema.safeParse(file.value, { reportInput: true })
  if (result.success) return { value: result.data, problems: [] }
  const problems = schemaProblems(result.error).map(({ path, message, unknownKey, more }) => ({
    ...file.problem(`${room}/${unknownKey ? 'unknown-key' : 'invalid'}`, path, message),
    ...(more === undefined ? {} : { more }),
  }))
  return { value: undefined, problems }
}

function plainValue(
  file: string,
  document: Document.Parsed,
  lines: LineCounter,
  room: string,
): Checked<YamlFile | undefined> {
  try {
    const value: unknown = document.toJS({ maxAliasCount: maximumAliases }) ?? {}
    return { value: yamlFile(file, value, document, lines), problems: [] }
  } catch (error) {
    return unreadable(file, `${room}/syntax`, error instanceof Error ? error.message : String(error))
  }
}

function yamlFile(file: string, value: unknown, document: Document.Parsed | undefined, lines: LineCounter): YamlFile {
  const lineOf = (path: YamlPath): number => (document ? lineAt(document, path, lines) : 1)
  return {
    value,
    problem: (code, path, message, hint) => problemAt(file, code, path, lineOf(path), message, hint),
    location: (path) => `${printable(file)}:${lineOf(path)}`,
    line: lineOf,
  }
}

function syntaxProblem(
  file: string,
  code: string,
  { offset, reason, hint }: YamlSyntaxError,
  lines: LineCounter,
): Problem {
  const { line, col } = lines.linePos(offset)
  const message = `${reason.charAt(0).toUpperCase()}${reason.slice(1)} (column ${col}).`
  return problemAt(file, code, [], line, message, hint)
}

/** Behind a token that it does not expect, the parser reports all others, too. */
function withoutFollowing(errors: Document.Parsed['errors']): Document.Parsed['errors'] {
  const first = errors.findIndex(({ message }) => unexpected.test(message))
  return errors.filter(({ message }, at) => at === first || !unexpected.test(message))
}

const unexpected = /^Unexpected .* in YAML stream/

/** One problem for each line: the parser reports further errors behind a mistake. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  const lines = new Set<number | undefined>()
  return problems.filter(({ place }) => !lines.has(place?.line) && lines.add(place?.line))
}

interface EqualKeys {
  readonly key: string
  /** The offset of the first of the two. */
  readonly first: number
}

/** The keys that repeat an earlier key of their map, by their offset. */
function repeatedKeys(document: Document.Parsed): ReadonlyMap<number, EqualKeys> {
  const repeated = new Map<number, EqualKeys>()
  visit(document, {
    Map: (_, { items }) => {
      const firsts = new Map<string, number>()
      for (const { key } of items) {
        if (!isScalar<string>(key)) continue
        const offset = key.range?.[0] ?? 0
        const first = firsts.get(key.value)
        if (first === undefined) firsts.set(key.value, offset)
        else repeated.set(offset, { key: key.value, first })
      }
    },
  })
  return repeated
}

function unreadable(file: string, code: string, message: string, hint?: string): Checked<undefined> {
  return { value: undefined, problems: [problemAt(file, code, [], 1, message, hint)] }
}

function problemAt(file: string, code: string, path: YamlPath, line: number, message: string, hint?: string): Problem {
  const pointer = path.reduce<string>(pointerTo, '')
  const field = path.length === 0 ? {} : { field: printPath(path) }
  return {
    severity: 'error',
    code,
    message,
    place: { file, index: 0, pointer, line },
    ...field,
    ...(hint === undefined ? {} : { hint }),
  }
}

/** The line of the key or list entry at the path, or of its deepest existing parent. */
function lineAt(document: Document.Parsed, path: YamlPath, lines: LineCounter): number {
  let node: unknown = document.contents
  let offset = (document.contents as Node | null)?.range?.[0] ?? 0
  for (const step of path) {
    const next = child(isAlias(node) ? node.resolve(document) : node, step)
    if (next === undefined) break
    offset = next.offset ?? offset
    node = next.node
  }
  return lines.linePos(offset).line
}

function child(
  node: unknown,
  step: string | number,
): { readonly node: unknown; readonly offset: number | undefined } | undefined {
  if (isMap<Node, Node | null>(node)) {
    const pair = node.items.find((item) => String(item.key) === String(step))
    return pair && { node: pair.value, offset: pair.key.range?.[0] }
  }
  if (isSeq<Node>(node) && typeof step === 'number') {
    const item = node.items[step]
    return item && { node: item, offset: item.range?.[0] }
  }
  return undefined
}
