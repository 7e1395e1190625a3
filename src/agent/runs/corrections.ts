const windowMs = 600_000
const most = 5

/** What was corrected lately, by field: who corrects the same field over and over fights with somebody. */
export class Corrections {
  readonly #times = new Map<string, readonly number[]>()

  /** Notes a correction; gives the field that was corrected 5 times in 10 minutes already. */
  note(fields: readonly string[], now: number): string | undefined {
    for (const field of fields) {
      const lately = (this.#times.get(field) ?? []).filter((at) => at > now - windowMs)
      if (lately.length >= most) return field
      this.#times.set(field, [...lately, now])
    }
    for (const [field, times] of this.#times) if (times.every((at) => at <= now - windowMs)) this.#times.delete(field)
    return undefined
  }
}
