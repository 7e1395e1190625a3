import { z } from 'zod'
import { intervalPattern } from './interval.js'

/** A text that `problem` accepts: it returns undefined. */
export function checkedText(problem: (value: string) => string | undefined): z.ZodString {
  return z.string().check((context) => {
    const message = problem(context.value)
    if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message })
  })
}

/** A length of time that `parseInterval` reads. A number gets the same message as any other wrong value. */
export function intervalText(examples: string): z.ZodString {
  return textWithUnit(examples).regex(intervalPattern, unitMessage(examples))
}

/** A number with a unit. `examples`: `512KiB, 32MiB`. The caller checks the text. */
export function textWithUnit(examples: string): z.ZodString {
  return z.string({ error: ({ input }) => (typeof input === 'number' ? unitMessage(examples) : undefined) })
}

export function unitMessage(examples: string): string {
  return `must be a whole number and a unit: ${examples}.`
}
