// Objects without unknown keys: the error suggests the key that was probably meant.
import { z } from 'zod'
import { quoted } from '../lib/printable.js'
import { didYouMean } from './did-you-mean.js'

/** The unknown keys and problems of one document that are listed; the rest are counted. */
export const mostSchemaProblems = 100

/** The message about an unknown key. */
export function unknownKeyMessage(key: string, known: readonly string[]): string {
  const suggestion = didYouMean(key, known)
  if (suggestion !== undefined) return `Unknown key ${quoted(key)}: did you mean "${suggestion}"?`
  if (known.length === 0) return `Unknown key ${quoted(key)}: no keys are allowed here.`
  return `Unknown key ${quoted(key)}: known keys are ${known.join(', ')}.`
}

/** Like `z.strictObject`, with its own message: one line for each of the first unknown keys, in the order of `keys`. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape)
  const message = (key: string): string => unknownKeyMessage(key, known)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.slice(0, mostSchemaProblems).map(message).join('\n') : undefined,
  })
}
