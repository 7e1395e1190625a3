// Removes secrets from text before it is printed, logged or stored.

import { shortestSecret } from './secret-forms.js'
import { SecretIndex } from './secret-index.js'

const instead = '(redacted)'

interface Pattern {
  /** Texts with none of them do not match. Searching for them is much faster than the pattern. */
  readonly marks: readonly string[]
  readonly pattern: RegExp
}

/**
 * Each pattern keeps its first group and, after the removed text, its second. Lengths are bounded so that long text
 * costs linear time.
 */
const patterns: readonly Pattern[] = [
  {
    // A password with a slash: the text after the colon is not a port, so everything up to the @ is user information.
    marks: ['://'],
    pattern: /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@:["'<>]{0,256}:(?!\d{1,5}(?:[/?#\s"']|$))[^\s"'<>]{0,1024}(@)/gi,
  },
  {
    // An ssh user is not secret, and is part of the address.
    marks: ['://'],
    pattern:
      /(\b(?!ssh:\/\/[\w.+~-]{1,64}@[^\s/@]{0,256}(?:[/\s"'<>]|$))[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,1024}(@)/gi,
  },
  {
    marks: ['='],
    pattern:
      /([?&;][^\s?&;=#"']{0,64}(?:token|secret|passw|api[-_]?key|private[-_]?key|signature|\bsig|auth|credential)[^\s?&;=#"']{0,64}=)[^\s&#"']+()/gi,
  },
  {
    marks: [':', '='],
    pattern: /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})[^\s"',]+()/gi,
  },
  {
    marks: ['_', 'glpat-'],
    pattern: /(\b)(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})()/g,
  },
]

/**
 * Removes user information from addresses, query parameters that look like credentials, Authorization headers and
 * well-known tokens.
 */
export function redactText(text: string): string {
  let redacted = text
  for (const { marks, pattern } of patterns)
    if (marks.some((mark) => redacted.includes(mark))) redacted = redacted.replace(pattern, `$1${instead}$2`)
  return redacted
}

/** The most remembered values: the newest ones. */
const most = 1_000

/**
 * Removes known secret values from any text, in the forms of `secret-forms.ts` and in upper or lower case. Values of
 * fewer than 6 characters are not recognized.
 */
export class Redactor {
  readonly #values = new Set<string>()
  readonly #index = new SecretIndex()

  /** From now on, `value` is removed. */
  add(value: string): void {
    if (value.length < shortestSecret) return
    if (!this.#values.delete(value)) this.#index.add(value)
    this.#values.add(value)
    if (this.#values.size > most) this.#remove(this.#values.values().next().value!)
  }

  /** Also applies `redactText`. */
  redact(text: string): string {
    const found = this.#index.find(text)
    if (found.length === 0) return redactText(text)
    const kept = found.map(({ start }, at) => text.slice(found[at - 1]?.end ?? 0, start))
    return redactText([...kept, text.slice(found.at(-1)!.end)].join(instead))
  }

  #remove(value: string): void {
    this.#values.delete(value)
    this.#index.remove(value)
  }
}
