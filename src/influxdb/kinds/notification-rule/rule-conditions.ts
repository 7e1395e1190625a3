// What triggers a notification rule: changes of level, and tags. Their order has no effect, so the state sorts them.
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { quoted } from '../../../lib/text/printable.js'
import type { Fields } from '../fields/fields.js'
import type { FluxPort } from '../flux/flux.js'
import { refuseBadText } from '../flux/flux-syntax.js'
import { mappedText, sortedBy, exportedFields } from '../state.js'
import { readKeyAndValue } from '../fields/key-and-value.js'
import { readLevel, upper } from '../fields/level.js'

const operators = ['equal', 'notequal', 'equalregex', 'notequalregex']

/**
 * At least one `{currentLevel, previousLevel}`; `previousLevel` is '' if it is absent. Errors have the index at the
 * field: `spec.statusRules.currentLevel[0]`.
 */
export function readStatusRules(spec: Fields): readonly JsonObject[] {
  const rules = spec.each('statusRules').map(readStatusRule)
  if (rules.length === 0) spec.error('statusRules', 'required', 'there are no statusRules', 'Write at least one.')
  return rules
}

/** `{key, value, operator}`. Errors have the index at the field: `spec.tagRules.operator[0]`. */
export function readTagRules(spec: Fields, flux: FluxPort): readonly JsonObject[] {
  return spec.each('tagRules').map((rule, at) => readTagRule(rule, at, flux))
}

export function normaliseStatusRules(rules: Json): Json {
  const levels = (rule: JsonObject): JsonObject => ({
    ...mappedText(rule, 'currentLevel', upper),
    ...mappedText(rule, 'previousLevel', upper),
  })
  return sortedBy(eachMap(rules, levels), ['currentLevel', 'previousLevel'])!
}

export function normaliseTagRules(rules: Json): Json {
  const operator = (rule: JsonObject): JsonObject => mappedText(rule, 'operator', (text) => text.trim().toLowerCase())
  return sortedBy(eachMap(rules, operator), ['key', 'value', 'operator'])!
}

/** The rules as an export declares them. */
export function exportedStatusRules(rules: Json | undefined): Json | undefined {
  return rules === undefined ? undefined : eachMap(rules, () => ({}), exportedFields)
}

function readStatusRule(rule: Fields, at: number): JsonObject {
  const currentLevel = readLevel(rule, 'currentLevel', `/spec/statusRules/currentLevel/${at}`)
  const hasPrevious = (rule.text('previousLevel')?.trim() ?? '') !== ''
  const previousLevel = hasPrevious ? readLevel(rule, 'previousLevel', `/spec/statusRules/previousLevel/${at}`) : ''
  rule.warnUnknown()
  return { currentLevel, previousLevel }
}

function readTagRule(rule: Fields, at: number, flux: FluxPort): JsonObject {
  const operator = rule.word('operator') ?? ''
  const what = operator === '' ? 'the tag rule has no operator' : `there is no operator ${quoted(operator)}`
  if (!operators.includes(operator))
    rule.errorShown(`/spec/tagRules/operator/${at}`, 'operator', 'not-allowed', what, `One of ${operators.join(', ')}.`)
  const read = readKeyAndValue(rule, 'tag rule')
  for (const key of ['key', 'value'] as const) refuseBadText(rule, key, read[key], flux)
  rule.warnUnknown()
  return { ...read, operator }
}

/** Adds fields to each map of a list; other values stay. */
function eachMap(
  list: Json,
  more: (one: JsonObject) => JsonObject,
  last: (one: JsonObject) => JsonObject = (one) => one,
): Json {
  if (!Array.isArray(list)) return list
  return (list as readonly Json[]).map((one) => (isObject(one) ? last({ ...one, ...more(one) }) : one))
}
