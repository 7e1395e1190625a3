// Finds any of many secret forms in a text, in time that grows with the text and hardly with their number.
import { formsOf, shortestSecret } from './secret-forms.js'

/** Where a form is: from `start` up to `end`. */
export interface Found {
  readonly start: number
  readonly end: number
}

/** Marks that a text was cut there. */
const cut = '…'
const bits = 18
/** Of as many characters as the shortest form has. */
const headLength = shortestSecret

/** Upper and lower case are alike. A form that a cut text ends in is found, too, if its first `shortestSecret` characters are there. */
export class SecretIndex {
  /** Forms by their first characters, the longest first. */
  readonly #forms = new Map<string, readonly string[]>()
  /** How many forms begin with characters of this hash: most places of a text need no more than this. */
  readonly #heads = new Uint16Array(1 << bits)

  add(value: string): void {
    for (const form of formsOf(value)) this.#addForm(folded(form))
  }

  remove(value: string): void {
    for (const form of formsOf(value)) this.#removeForm(folded(form))
  }

  /** In order; where forms overlap or touch, they are found as one. */
  find(text: string): readonly Found[] {
    const found: Found[] = []
    if (this.#forms.size === 0) return found
    const at = folded(text)
    for (let start = 0; start + headLength <= at.length; start++) {
      if (this.#heads[hashAt(at, start)] === 0) continue
      const end = this.#endAt(at, start)
      const last = found.at(-1)
      if (end === undefined || end <= (last?.end ?? 0)) continue
      if (last !== undefined && start <= last.end) found[found.length - 1] = { start: last.start, end }
      else found.push({ start, end })
    }
    return found
  }

  #endAt(text: string, start: number): number | undefined {
    let cutEnd: number | undefined
    for (const form of this.#forms.get(text.slice(start, start + headLength)) ?? []) {
      if (text.startsWith(form, start)) return start + form.length
      const end = sharedEnd(text, start, form)
      if (text[end] === cut) cutEnd = Math.max(cutEnd ?? 0, end)
    }
    return cutEnd
  }

  #addForm(form: string): void {
    const head = form.slice(0, headLength)
    const forms = this.#forms.get(head) ?? []
    this.#forms.set(
      head,
      [...forms, form].sort((a, b) => b.length - a.length),
    )
    this.#heads[hashAt(form, 0)]!++
  }

  #removeForm(form: string): void {
    const head = form.slice(0, headLength)
    const forms = this.#forms.get(head) ?? []
    const left = forms.filter((_, index) => index !== forms.indexOf(form))
    if (left.length === 0) this.#forms.delete(head)
    else this.#forms.set(head, left)
    this.#heads[hashAt(form, 0)]!--
  }
}

/** Where a text that begins like the form at `start` stops being like it. */
function sharedEnd(text: string, start: number, form: string): number {
  let length = headLength
  while (length < form.length && text[start + length] === form[length]) length++
  return start + length
}

function hashAt(text: string, at: number): number {
  let hash = 0
  for (let place = at; place < at + headLength; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x9e3779b1)
  return hash >>> (32 - bits)
}

/** In lower case, character for character: the places stay the same. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from({ length: text.length }, (_, at) => foldedUnit(text[at]!)).join('')
}

function foldedUnit(unit: string): string {
  const lower = unit.toLowerCase()
  return lower.length === 1 ? lower : unit
}
