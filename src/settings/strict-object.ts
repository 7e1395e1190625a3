// Objects without unknown keys: the error suggests the key that was probably meant.
import { closest, distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { quoted } from '../lib/printable.js'

/** The unknown keys and problems of one document that are listed; the rest are counted. */
export const mostSchemaProblems = 100

/** Longer words are not compared. */
const mostCharacters = 100

/** The known word of which `word` is probably a typo; undefined: none is similar. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > mostCharacters) return undefined
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, '')
  const nearest = known.find((one) => bare(one) === bare(word)) ?? closest(word, known)
  const near =
    bare(nearest) === bare(word) ||
    distance(word, nearest) <= (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3)))
  return near ? nearest : undefined
}

/** The message about an unknown key. */
export function unknownKeyMessage(key: string, known: readonly string[]): string {
  const suggestion = didYouMean(key, known)
  if (suggestion !== undefined) return `Unknown key ${quoted(key)}: did you mean "${suggestion}"?`
  if (known.length === 0) return `Unknown key ${quoted(key)}: no keys are allowed here.`
  return `Unknown key ${quoted(key)}: known keys are ${known.join(', ')}.`
}

/**
 * Like `z.strictObject`, with its own message: one line for each of the first unknown keys, in the order of `keys`.
 * `elsewhere`: messages for keys that belong elsewhere.
 */
export function strictObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  elsewhere: Readonly<Record<string, string>> = {},
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape)
  const message = (key: string): string =>
    Object.hasOwn(elsewhere, key) ? elsewhere[key]! : unknownKeyMessage(key, known)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.slice(0, mostSchemaProblems).map(message).join('\n') : undefined,
  })
}
