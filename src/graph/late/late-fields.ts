// The fields of a document that wait for values of other resources.
import { groupDigits } from '../../lib/text/group-digits.js'
import { pointerTo } from '../../lib/text/json-pointer.js'
import { printable, quoted } from '../../lib/text/printable.js'
import type { Document } from '../../model/resources/document.js'
import { leavesOf, type JsonKeys } from '../../model/json-places.js'
import { Secret, type Json } from '../../model/json.js'
import { fieldBelow, problemAt, type Checked, type Finding, type Problem } from '../../model/problem.js'
import { parseLateText, type LateReference, type LateText } from './late-text.js'

export const lateLimits = {
  /** References of one document. */
  references: 100,
  /** Characters of a text with references, as written. */
  written: 524_288,
  /** The same with their values. */
  characters: 1_048_576,
} as const

export interface LateField {
  readonly pointer: string
  /** In the body of the document. */
  readonly keys: JsonKeys
  readonly parts: LateText
}

/** The fields below `spec` with references or escapes. Problems: malformed references; too many. */
export function findLateFields(document: Document): Checked<readonly LateField[]> {
  const fields: LateField[] = []
  const problems: Problem[] = []
  for (const { keys: below, value } of leavesOf(document.body['spec'] ?? null)) {
    const parts = typeof value === 'string' ? parseLateText(value) : 'plain'
    if (parts === 'plain') continue
    const keys = ['spec', ...below]
    const pointer = keys.reduce<string>((whole, key) => pointerTo(whole, key), '')
    if ((value as string).length > lateLimits.written)
      problems.push(lateProblem(document, pointer, tooLong(lateLimits.written)))
    else if ('malformed' in parts) problems.push(lateProblem(document, pointer, malformed(parts.malformed)))
    else fields.push({ pointer, keys, parts })
  }
  if (hasTooManyReferences(fields)) problems.push(lateProblem(document, '/spec', tooMany(countReferences(fields))))
  return { value: fields, problems }
}

export function hasTooManyReferences(fields: readonly LateField[]): boolean {
  return countReferences(fields) > lateLimits.references
}

function countReferences(fields: readonly LateField[]): number {
  return fields.reduce((sum, { parts }) => sum + referencesIn(parts).length, 0)
}

export function referencesIn(parts: LateText): readonly LateReference[] {
  return parts.filter((part) => typeof part !== 'string')
}

/**
 * The value of a field with the values of its references: of one reference alone, its value of any type; of a text, a
 * text. A problem names the reference that does not fit.
 */
export function fieldValue(
  { parts }: LateField,
  valueOf: (reference: LateReference) => Json,
): { readonly value: Json } | { readonly unfit: Finding } {
  const [first] = parts
  if (parts.length === 1 && first !== undefined && typeof first !== 'string') return { value: valueOf(first) }
  let text = ''
  for (const part of parts) {
    const value = typeof part === 'string' ? part : valueOf(part)
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return { unfit: notText(part as LateReference, value) }
    text += String(value)
    if (text.length > lateLimits.characters) return { unfit: tooLong(lateLimits.characters) }
  }
  return { value: text }
}

export function lateProblem(document: Document, pointer: string, { message, ...finding }: Finding): Problem {
  const subject = printable(`${document.kind}/${document.name}: ${fieldBelow('', pointer).slice(1)}`)
  return problemAt('error', document.locate(pointer), { ...finding, message: `${subject} ${message}.` })
}

function malformed(text: string): Finding {
  const hint = 'Write $(ref.KIND/NAME.PATH), such as $(ref.Room/hall.id), or $$(ref. for the text itself.'
  return { code: 'graph/late-reference', message: `has the malformed reference ${quoted(text)}`, hint }
}

function tooMany(count: number): Finding {
  const message = `has ${count} references; a document may have ${lateLimits.references}`
  return { code: 'graph/late-reference', message, hint: 'Declare several resources instead.' }
}

function notText({ text }: LateReference, value: Json): Finding {
  const secret = value instanceof Secret
  const what = secret ? 'a secret, which plans would show' : value === null ? 'null' : 'a list or a map'
  const hint = secret ? 'Let it be the whole field.' : 'Name a value inside it, or let it be the whole field.'
  return { code: 'graph/late-value', message: `contains ${quoted(text)}, which is ${what}`, hint }
}

function tooLong(most: number): Finding {
  const message = `has references and more than ${groupDigits(most)} characters`
  return { code: 'graph/late-value', message, hint: 'Shorten the text.' }
}
