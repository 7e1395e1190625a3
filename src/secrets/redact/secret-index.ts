// Finds any of many secret forms in a text. The time grows with the text, and hardly with the number of forms.
import { decodeText, isEncoded } from './decode-text.js'
import { secretForms, shortestSecret } from './secret-forms.js'
import { addSorted, matchLengths, removeSorted } from './sorted-units.js'

/** The location of a form, from `start` up to `end`. */
export interface SecretMatch {
  readonly start: number
  readonly end: number
}

/** Marks a truncated text, perhaps within an escape. */
const cut = /(?:[%\\&][#\w]{0,8})?…/y
/** The hashed units: as many as the shortest form has. */
const headLength = shortestSecret
/** The shift for each unit. After `headLength` units, the first one has no influence. */
const shift = 5
const mask = 2 ** (shift * headLength) - 1
/** The upper bits of a hash depend on all units of a head. */
const bits = 18
const low = shift * headLength - bits

/**
 * Upper and lower case match, and so do a space and a plus sign. In a truncated text, the first `shortestSecret`
 * characters of a form match.
 */
export class SecretIndex {
  /** Forms by the hash of their first units. */
  readonly #forms = new Map<number, readonly Uint16Array[]>()
  /** Counts of hashes by their upper bits: a quick check for most positions of a text. */
  readonly #heads = new Uint16Array(1 << bits)

  add(value: string): void {
    for (const form of secretForms(value)) this.#change(foldCase(form), addSorted)
  }

  remove(value: string): void {
    for (const form of secretForms(value)) this.#change(foldCase(form), removeSorted)
  }

  /** Searches the text and its decoded form. The result is in order; overlapping and adjacent matches are merged. */
  find(text: string): readonly SecretMatch[] {
    if (this.#forms.size === 0) return []
    const found = this.#findIn(text)
    if (!isEncoded(text)) return mergeMatches(found)
    const { text: decoded, starts } = decodeText(text)
    const behind = this.#findIn(decoded).map(({ start, end }) => ({ start: starts[start]!, end: starts[end]! }))
    return mergeMatches([...found, ...behind])
  }

  #change(
    form: Uint16Array,
    change: (forms: readonly Uint16Array[], form: Uint16Array) => readonly Uint16Array[],
  ): void {
    const hash = form.subarray(0, headLength).reduce(nextHash, 0)
    const before = this.#forms.get(hash) ?? []
    const after = change(before, form)
    if (after.length === 0) this.#forms.delete(hash)
    else this.#forms.set(hash, after)
    this.#heads[hash >>> low]! += after.length - before.length
  }

  /** Almost no text has a secret: such a text is read without a copy of its units. */
  #mayMatch(text: string): boolean {
    let hash = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > lastAscii) return true
      hash = nextHash(hash, foldAscii(unit))
      if (at + 1 >= headLength && this.#heads[hash >>> low] !== 0) return true
    }
    return false
  }

  #findIn(text: string): readonly SecretMatch[] {
    const found: SecretMatch[] = []
    if (!this.#mayMatch(text)) return found
    const units = foldCase(text)
    let hash = 0
    let known = 0
    for (let next = 0; next < units.length; next++) {
      hash = nextHash(hash, units[next]!)
      const start = next + 1 - headLength
      if (start < 0 || this.#heads[hash >>> low] === 0) continue
      const end = this.#endAt({ text, units, start, hash })
      if (end <= known) continue
      found.push({ start, end })
      known = end
    }
    return found
  }

  /** The end of the form that starts here; 0: none does. */
  #endAt({ text, units, start, hash }: MatchStart): number {
    const forms = this.#forms.get(hash)
    if (forms === undefined) return 0
    const { whole, shared } = matchLengths(forms, units, start)
    if (shared > whole && shared >= headLength && isCutAt(text, start + shared)) return start + shared
    return whole === 0 ? 0 : start + whole
  }
}

interface MatchStart {
  readonly text: string
  readonly units: Uint16Array
  readonly start: number
  readonly hash: number
}

/** The hash of the last `headLength` units. */
function nextHash(hash: number, unit: number): number {
  return ((hash << shift) ^ Math.imul(unit, 0x9e3779b1)) & mask
}

function isCutAt(text: string, at: number): boolean {
  cut.lastIndex = at
  return cut.test(text)
}

function mergeMatches(found: readonly SecretMatch[]): readonly SecretMatch[] {
  const all: SecretMatch[] = []
  for (const one of found.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    if (last === undefined || one.start > last.end) all.push(one)
    else all[all.length - 1] = { start: last.start, end: Math.max(last.end, one.end) }
  }
  return all
}

/** Folds unit by unit, so positions stay the same. */
function foldCase(text: string): Uint16Array {
  const lower = text.toLowerCase()
  const isSame = lower.length === text.length
  const units = new Uint16Array(text.length)
  for (let at = 0; at < units.length; at++) units[at] = isSame ? lower.charCodeAt(at) : foldedUnit(text[at]!)
  for (let at = units.indexOf(plus); at !== -1; at = units.indexOf(plus, at + 1)) units[at] = space
  return units
}

const plus = 0x2b
const space = 0x20
const lastAscii = 0x7f

/** As `foldCase` does. */
function foldAscii(unit: number): number {
  if (unit === plus) return space
  return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit
}

function foldedUnit(unit: string): number {
  const lower = unit.toLowerCase()
  return (lower.length === 1 ? lower : unit).charCodeAt(0)
}
