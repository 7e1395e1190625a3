// The problems that a schema finds, as messages for people.
import type { z } from 'zod'
import { printable, quoted, shortened, mostShown } from '../../lib/text/printable.js'
import { withSuggestion } from '../did-you-mean.js'
import { mostSchemaProblems } from './strict-object.js'

type Issue = z.core.$ZodIssue

/** One problem: its path and a message. `unknownKey`: the last step of the path is an unknown key. */
export interface SchemaProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly unknownKey?: true
  /** The number of unlisted problems that it summarizes. */
  readonly more?: number
}

/**
 * The problems in the order of the schema, one for each unknown key. At most `mostSchemaProblems`; the last one counts
 * the rest. Parse with `reportInput: true` for precise messages. Only invalid choices are printed, no other values.
 */
export function schemaProblems(error: z.ZodError): readonly SchemaProblem[] {
  const count = error.issues.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1),
    0,
  )
  const listed = error.issues.slice(0, mostSchemaProblems).flatMap(issueProblems)
  if (count <= mostSchemaProblems) return listed
  const room = mostSchemaProblems - 1
  return [
    ...listed.slice(0, room),
    { path: [], message: `There are ${count - room} more problems.`, more: count - room },
  ]
}

function issueProblems(issue: Issue): readonly SchemaProblem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code !== 'unrecognized_keys') return [{ path, message: message(issue, path) }]
  const lines = issue.message.split('\n')
  const keys = issue.keys.slice(0, mostSchemaProblems)
  return keys.map((key, at) => ({
    path: [...path, key],
    message: lines[at] ?? issue.message,
    unknownKey: true as const,
  }))
}

/** `stacks[0].sources[0].ref`; '' is the whole document. */
export function printPath(path: readonly (string | number)[]): string {
  const steps = path.map((step, at) =>
    typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${shortened(step, mostShown)}`,
  )
  return printable(steps.join(''))
}

function message(issue: Issue, path: readonly (string | number)[]): string {
  const name = path.length === 0 ? 'The document' : `"${printPath(path)}"`
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) return typeMessage(name, issue)
  if (issue.code === 'invalid_value' && issue.values.length > 0) return choiceMessage(name, issue)
  if (issue.code === 'too_small' && issue.message.startsWith('Too small')) return tooSmallMessage(name, issue)
  if (issue.code === 'too_big' && issue.message.startsWith('Too big'))
    return issue.origin === 'string'
      ? `${name} must have at most ${issue.maximum} characters.`
      : `${name} is too large: at most ${issue.maximum}.`
  if (issue.code === 'invalid_key') return `${name}: ${issue.issues[0]?.message ?? 'invalid name.'}`
  return `${name} ${issue.message}`
}

function tooSmallMessage(name: string, { origin, minimum }: z.core.$ZodIssueTooSmall): string {
  if (origin !== 'string') return `${name} is too small: at least ${minimum}.`
  return minimum === 1 ? `${name} must not be empty.` : `${name} must have at least ${minimum} characters.`
}

function typeMessage(name: string, issue: z.core.$ZodIssueInvalidType): string {
  const expected = typeNames[issue.expected] ?? issue.expected
  if (issue.input === undefined) return `${name} is missing: ${expected} is needed.`
  if (typeof issue.input === 'number' && !Number.isFinite(issue.input)) return `${name} must be a finite number.`
  return `${name} must be ${expected}, not ${inputType(issue.input)}.`
}

function choiceMessage(name: string, issue: z.core.$ZodIssueInvalidValue): string {
  const values = issue.values.map(String)
  const expected = values.length === 1 ? quoted(values[0]!) : `one of ${values.join(', ')}`
  if (issue.input === undefined) return `${name} is missing: ${expected} is needed.`
  if (typeof issue.input !== 'string') return `${name} must be ${expected}, not ${inputType(issue.input)}.`
  return withSuggestion(`${name} must be ${expected}, not ${quoted(issue.input)}.`, issue.input, values)
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
}

function inputType(input: unknown): string {
  if (input === null) return 'empty'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'object') return 'a map'
  if (typeof input === 'number') return Number.isInteger(input) ? 'a number' : 'a number with a fraction'
  return typeof input === 'boolean' ? 'true or false' : 'a text'
}
