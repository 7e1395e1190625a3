import { z } from 'zod'

/** A text that `problem` accepts: it returns undefined. */
export function checkedText(problem: (value: string) => string | undefined): z.ZodString {
  return z.string().check((context) => {
    const message = problem(context.value)
    if (message !== undefined) context.issues.push({ code: 'custom', input: context.value, message })
  })
}
