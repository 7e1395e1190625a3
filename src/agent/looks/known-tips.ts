import type { NamedTip } from '../../model/channel.js'
import type { TipFacts } from '../../model/tip-facts.js'
import type { Tips } from '../../source/tips.js'

const kept = 1_000

/**
 * What was told of tips, remembered, so that no look asks again for a move that is held back. A signature that was not
 * good is asked for again: its key may be known by then. Errors: those of `Tips`, which are not remembered.
 */
export class KnownTips {
  readonly #tips: Pick<Tips, 'describe' | 'isForward'>
  readonly #told = new Map<string, TipFacts | boolean | null>()

  constructor(tips: Pick<Tips, 'describe' | 'isForward'>) {
    this.#tips = tips
  }

  /** Keys may be others now: signatures are looked at again. */
  forget(): void {
    this.#told.clear()
  }

  async facts(remote: string, { name, ...tip }: NamedTip, signal: AbortSignal): Promise<TipFacts> {
    const ask = (): Promise<TipFacts> => this.#tips.describe(remote, { ...tip, ref: name }, signal)
    const key = `${remote} ${name} ${tip.object}`
    const facts = (await this.#remembered(key, ask)) as TipFacts
    if (facts.signature.state === 'unknown-key' || facts.signature.state === 'bad') this.#told.delete(key)
    return facts
  }

  /** Whether `to` has `from` among its ancestors; null: that cannot be found out. */
  async forward(remote: string, from: string, to: string, signal: AbortSignal): Promise<boolean | null> {
    const ask = async (): Promise<boolean | null> => (await this.#tips.isForward(remote, { from, to }, signal)) ?? null
    return (await this.#remembered(`${remote} ${from} ${to}`, ask)) as boolean | null
  }

  async #remembered(key: string, ask: () => Promise<TipFacts | boolean | null>): Promise<TipFacts | boolean | null> {
    const known = this.#told.get(key)
    const told = known === undefined ? await ask() : known
    this.#told.delete(key)
    this.#told.set(key, told)
    if (this.#told.size > kept) this.#told.delete(this.#told.keys().next().value!)
    return told
  }
}
