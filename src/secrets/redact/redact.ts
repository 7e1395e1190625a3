// Takes secrets out of text that is about to be printed, logged or stored.

import { shortestSecret } from './secret-forms.js'
import { SecretIndex } from './secret-index.js'

const instead = '(redacted)'

/**
 * Each pattern keeps its first group and, after what is taken out, its second. Lengths are bounded so that long text
 * costs linear time.
 */
const patterns: readonly RegExp[] = [
  // A password with a slash in it: what follows the colon is no port, so all up to the @ is user information.
  /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@:["'<>]{0,256}:(?!\d{1,5}(?:[/?#\s"']|$))[^\s"'<>]{0,1024}(@)/gi,
  // The user of ssh is no secret, and part of the address.
  /(\b(?!ssh:\/\/[\w.+~-]{1,64}@[^\s/@]{0,256}(?:[/\s"'<>]|$))[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,1024}(@)/gi,
  /([?&;][^\s?&;=#"']{0,64}(?:token|secret|passw|api[-_]?key|private[-_]?key|signature|\bsig|auth|credential)[^\s?&;=#"']{0,64}=)[^\s&#"']+()/gi,
  /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})[^\s"',]+()/gi,
  /(\b)(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})()/g,
]

/**
 * Without user information of addresses, values of query parameters that look like credentials, Authorization headers
 * and tokens of well-known form.
 */
export function redactText(text: string): string {
  return patterns.reduce((at, pattern) => at.replace(pattern, `$1${instead}$2`), text)
}

/** Values that are remembered: those that were added last. */
const most = 1_000

/**
 * Knows secret values and takes them out of any text, in the forms of `secret-forms.ts` and in either case. Values
 * under 6 characters are not recognised.
 */
export class Redactor {
  readonly #values = new Set<string>()
  readonly #index = new SecretIndex()

  /** From now on `value` is taken out. */
  add(value: string): void {
    if (value.length < shortestSecret) return
    if (!this.#values.delete(value)) this.#index.add(value)
    this.#values.add(value)
    if (this.#values.size > most) this.#remove(this.#values.values().next().value!)
  }

  /** Also does what `redactText` does. */
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
