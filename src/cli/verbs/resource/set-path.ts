import { isObject } from '../../../model/json.js'
import { usageErrors } from '../../errors/usage-errors.js'

/**
 * Applies `retentionRules[0].everySeconds=3600` to a copy of an object. The value is JSON, or text if it is not valid
 * JSON. A field that was text stays text.
 */
export function setPath(value: object, assignment: string): object {
  const split = assignment.indexOf('=')
  const steps = split > 0 ? readPath(assignment.slice(0, split)) : undefined
  if (steps === undefined || steps.length > maximumDepth) throw usageErrors.invalidAssignment(assignment)
  return replaceAt(value, steps, assignment.slice(split + 1)) as object
}

/** The limit of the API. */
const maximumDepth = 100

type Step = string | number

function readPath(text: string): readonly Step[] | undefined {
  if (!/^[^.[\]]+(\[\d{1,6}\])*(\.[^.[\]]+(\[\d{1,6}\])*)*$/.test(text)) return undefined
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map((match) =>
    match[1] === undefined ? match[2]! : Number(match[1]),
  )
}

function readValue(text: string, old: unknown): unknown {
  try {
    const value = JSON.parse(text) as unknown
    return typeof old === 'string' && value !== null && typeof value !== 'string' ? text : value
  } catch {
    return text
  }
}

function replaceAt(value: unknown, [step, ...rest]: readonly Step[], text: string): unknown {
  if (step === undefined) return readValue(text, value)
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? (value as readonly unknown[]) : []
    if (step > list.length) throw usageErrors.noSuchElement(step, list.length)
    return [...list.slice(0, step), replaceAt(list[step], rest, text), ...list.slice(step + 1)]
  }
  const map = isObject(value) ? value : {}
  const old = Object.hasOwn(map, step) ? map[step] : undefined
  return Object.fromEntries([
    ...Object.entries(map).filter(([key]) => key !== step),
    [step, replaceAt(old, rest, text)],
  ])
}
