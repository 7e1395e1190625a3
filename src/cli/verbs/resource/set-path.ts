import { UsageError } from '../../cli-error.js'

/**
 * `retentionRules[0].everySeconds=3600` applied to an object, which is not changed itself. The value is read as JSON;
 * what is no JSON is text, and what was text stays text.
 */
export function setPath(value: object, assignment: string): object {
  const split = assignment.indexOf('=')
  const steps = split > 0 ? readPath(assignment.slice(0, split)) : undefined
  if (steps === undefined || steps.length > maximumDepth)
    throw new UsageError(
      `--set ${assignment} is not PATH=VALUE.`,
      'For example --set retentionRules[0].everySeconds=3600',
    )
  return replaceAt(value, steps, assignment.slice(split + 1)) as object
}

/** The agent takes nothing that is nested deeper. */
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

function replaceAt(value: unknown, [step, ...rest]: readonly Step[], new_: string): unknown {
  if (step === undefined) return readValue(new_, value)
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? (value as readonly unknown[]) : []
    if (step > list.length) throw new UsageError(`There is no element ${step}; the list has ${list.length}.`)
    return [...list.slice(0, step), replaceAt(list[step], rest, new_), ...list.slice(step + 1)]
  }
  const map =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : {}
  const old = Object.hasOwn(map, step) ? map[step] : undefined
  return Object.fromEntries([
    ...Object.entries(map).filter(([key]) => key !== step),
    [step, replaceAt(old, rest, new_)],
  ])
}
