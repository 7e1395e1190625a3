// The known word that a typo probably means: keys, kinds, stacks, refs, targets.
import { closest, distance } from 'fastest-levenshtein'

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
