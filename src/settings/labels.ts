// Labels of stacks and targets, and selectors by labels. Both have the syntax of Kubernetes; the rules are in
// docs/reference/stack.md#labels.
import { z } from 'zod'
import { quoted } from '../lib/text/printable.js'
import type { LabelCondition } from '../model/stacks/stack.js'
import { checkedText } from './schema/checked-text.js'

export const mostLabels = 50
export const mostConditions = 20
export const mostSelectorCharacters = 2_000

/** A name in a key, or a value: at most 63 characters. */
const word = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** The part of a key before the slash: a DNS name. */
const prefix = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/
const mostPrefixCharacters = 253

const wordRule = '1 to 63 of letters, digits, -, _ and ., with a letter or digit first and last'
const keyRule = `must be ${wordRule}, optionally after a DNS name and a slash: example.com/team.`
const valueRule = `must be empty, or ${wordRule}.`

function keyProblem(key: string): string | undefined {
  const slash = key.indexOf('/')
  const before = key.slice(0, slash)
  const isPrefixed = slash < 0 || (before.length <= mostPrefixCharacters && prefix.test(before))
  return isPrefixed && word.test(key.slice(slash + 1)) ? undefined : keyRule
}

function valueProblem(value: string): string | undefined {
  return value === '' || word.test(value) ? undefined : valueRule
}

const key = checkedText(keyProblem)
const value = checkedText(valueProblem)

export const labelsDocument = z
  .record(key, value)
  .refine((labels) => Object.keys(labels).length <= mostLabels, `must have at most ${mostLabels} labels.`)

/** A change of single labels. null removes one. */
export const labelChangeDocument = z
  .record(key, value.nullable())
  .describe('A change of single labels: null removes one. `labels` replaces all.')

/** Where a selector is malformed, and why. `position`: of a character, from 1. */
export interface SelectorProblem {
  readonly position: number
  readonly message: string
}

/** A piece of a selector: an operator, a comma or a word. '' is the end. */
interface Token {
  readonly text: string
  readonly at: number
}

/** The conditions of `team=ops,tier!=test,env,!old`, which combine with AND; or where it is malformed. */
export function parseSelector(text: string): readonly LabelCondition[] | SelectorProblem {
  const tokens = [...text.matchAll(/==|!=|[=!,]|[^\s=!,]+/g)].map((match) => ({ text: match[0], at: match.index }))
  const conditions: LabelCondition[] = []
  for (let rest: readonly Token[] = [...tokens, { text: '', at: text.length }]; ; rest = rest.slice(1)) {
    const read = readCondition(rest)
    if ('position' in read) return read
    conditions.push(read.condition)
    rest = read.rest
    if (rest[0]!.text === '') break
  }
  if (conditions.length <= mostConditions) return conditions
  return { position: 1, message: `a selector has at most ${mostConditions} conditions.` }
}

/** After the name of a field: `is malformed at character 4: expected the key of a label, found the end.` */
export function malformedText({ position, message }: SelectorProblem): string {
  return `is malformed at character ${position}: ${message}`
}

/** True if the labels meet all conditions. `differs` is also met without the label. */
export function matchesLabels(
  labels: Readonly<Record<string, string>>,
  conditions: readonly LabelCondition[],
): boolean {
  return conditions.every((condition) => {
    const has = Object.hasOwn(labels, condition.key)
    switch (condition.operator) {
      case 'equals':
        return has && labels[condition.key] === condition.value
      case 'differs':
        return !has || labels[condition.key] !== condition.value
      case 'exists':
        return has
      case 'absent':
        return !has
    }
  })
}

/** The first condition, and the comma or the end after it. */
function readCondition(
  tokens: readonly Token[],
): { readonly condition: LabelCondition; readonly rest: readonly Token[] } | SelectorProblem {
  const isAbsent = tokens[0]!.text === '!'
  const name = tokens[isAbsent ? 1 : 0]!
  const rest = tokens.slice(isAbsent ? 2 : 1)
  if (/^([=!,]|[=!]=)?$/.test(name.text)) return problemAt(name, 'expected the key of a label')
  if (keyProblem(name.text) !== undefined) return problemAt(name, `a key ${keyRule}`)
  const next = rest[0]!
  if (next.text === '' || next.text === ',')
    return { condition: { operator: isAbsent ? 'absent' : 'exists', key: name.text }, rest }
  if (isAbsent) return problemAt(next, 'expected a comma or the end after !KEY')
  if (!/^[=!]?=$/.test(next.text)) return problemAt(next, 'expected =, !=, a comma or the end after a key')
  return readComparison(name.text, next.text === '!=' ? 'differs' : 'equals', rest.slice(1))
}

function readComparison(
  name: string,
  operator: 'equals' | 'differs',
  tokens: readonly Token[],
): { readonly condition: LabelCondition; readonly rest: readonly Token[] } | SelectorProblem {
  const given = tokens[0]!
  const rest = tokens.slice(1)
  if (given.text === '' || given.text === ',') return { condition: { operator, key: name, value: '' }, rest: tokens }
  if (/^[=!]/.test(given.text)) return problemAt(given, 'expected a value, a comma or the end')
  if (valueProblem(given.text) !== undefined) return problemAt(given, `a value ${valueRule}`)
  const next = rest[0]!
  if (next.text === '' || next.text === ',') return { condition: { operator, key: name, value: given.text }, rest }
  return problemAt(next, 'expected a comma or the end after a value')
}

/** The found text is quoted by the message, unless it is the end. */
function problemAt({ text, at }: Token, expected: string): SelectorProblem {
  const found = text === '' ? 'the end' : quoted(text, 40)
  return { position: at + 1, message: `${expected.replace(/\.$/, '')}, found ${found}.` }
}
