// Takes secrets out of text that is about to be printed, logged or stored.

const instead = '(redacted)'

/** Each pattern keeps its first group and, after what is taken out, its second. Lengths are bounded so that long text costs linear time. */
const patterns: readonly RegExp[] = [
  // A password with a slash in it: what follows the colon is no port, so all up to the @ is user information.
  /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@:["'<>]{0,256}:(?!\d{1,5}(?:[/?#\s"']|$))[^\s"'<>]{0,1024}(@)/gi,
  // The user of ssh is no secret, and part of the address.
  /(\b(?!ssh:\/\/[\w.+~-]{1,64}@[^\s/@]{0,256}(?:[/\s"'<>]|$))[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'<>]{0,1024}(@)/gi,
  /([?&;][^\s?&;=#"']{0,64}(?:token|secret|passw|api[-_]?key|private[-_]?key|signature|\bsig|auth|credential)[^\s?&;=#"']{0,64}=)[^\s&#"']+()/gi,
  /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:basic|bearer|token)\s{1,4})[^\s"',]+()/gi,
  /(\b)(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,})()/g,
]

/** Without user information of addresses, values of query parameters that look like credentials, Authorization headers and tokens of well-known form. */
export function redactText(text: string): string {
  return patterns.reduce((at, pattern) => at.replace(pattern, `$1${instead}$2`), text)
}

const shortest = 6
const most = 1_000

/**
 * Knows secret values and takes them out of any text, also where they stand URL-encoded, base64-encoded or escaped in JSON.
 * Values under 6 characters are not looked for: they would tear ordinary words apart. Remembers the newest 1,000 values.
 */
export class Redactor {
  readonly #values = new Set<string>()
  #forms: readonly string[] = []

  /** From now on `value` is taken out. */
  add(value: string): void {
    if (value.length < shortest || this.#values.has(value)) return
    this.#values.add(value)
    if (this.#values.size > most) this.#values.delete(this.#values.values().next().value!)
    const forms = new Set([...this.#values].flatMap(formsOf))
    this.#forms = [...forms].sort((a, b) => b.length - a.length)
  }

  /** Also does what `redactText` does. */
  redact(text: string): string {
    return redactText(this.#forms.reduce((at, form) => at.replaceAll(form, instead), text))
  }
}

function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64')
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    base64,
    base64.replaceAll('=', ''),
    Buffer.from(value).toString('base64url'),
  ]
}
