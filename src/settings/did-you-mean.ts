// The known word that a typo probably means: keys, kinds, stacks, refs, targets, commands.
import { closest, distance } from 'fastest-levenshtein'
import { quoted } from '../lib/text/printable.js'

/** Longer words are not compared. */
const mostCharacters = 100

/** `Did you mean "beta"?`; undefined: no known word is similar. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const similar = similarWord(word, known)
  return similar === undefined ? undefined : suggestion(similar)
}

/** The hint about an unknown word, and the known one that it probably is. `otherwise`: the hint if none is similar. */
export function correction(
  word: string,
  known: readonly string[],
  otherwise: string,
): { readonly hint: string; readonly suggestion?: string } {
  const similar = similarWord(word, known)
  return similar === undefined ? { hint: otherwise } : { hint: suggestion(similar), suggestion: similar }
}

/** The sentence, followed by the question if a known word is similar. */
export function withSuggestion(sentence: string, word: string, known: readonly string[]): string {
  const question = didYouMean(word, known)
  return question === undefined ? sentence : `${sentence} ${question}`
}

/** `Did you mean "beta"?` */
export function suggestion(similar: string): string {
  return `Did you mean ${quoted(similar)}?`
}

/** The known word of which `word` is probably a typo; undefined: none is similar. */
export function similarWord(word: string, known: readonly string[]): string | undefined {
  if (known.length === 0 || word.length > mostCharacters) return undefined
  const same = known.find((one) => bare(one) === bare(word)) ?? known.find((one) => hasSwappedLetters(word, one))
  if (same !== undefined) return same
  const nearest = closest(word, known)
  const most = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))
  return distance(word, nearest) <= most ? nearest : undefined
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[-_]/g, '')
}

/** Two neighbors are swapped: one typo, however short the word is, but a distance of two. */
function hasSwappedLetters(word: string, known: string): boolean {
  let at = 0
  while (at < word.length && word[at] === known[at]) at++
  return at < word.length && word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2) === known
}
