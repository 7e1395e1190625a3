import type { NamedRefTip, RefTipFacts } from '../../model/channel.js'
import type { RefTips } from '../../source/ref-tips.js'

const kept = 1_000

/**
 * What was told of tips, remembered, so that no look asks again for a move that is held back. A signature that was not
 * good is asked for again: its key may be known by then. Errors: those of `Tips`, which are not remembered.
 */
export class CachedRefTips {
  readonly #refTips: Pick<RefTips, 'describe' | 'isForward'>
  readonly #cached = new Map<string, RefTipFacts | boolean | null>()

  constructor(tips: Pick<RefTips, 'describe' | 'isForward'>) {
    this.#refTips = tips
  }

  /** Keys may be others now: signatures are looked at again. */
  clear(): void {
    this.#cached.clear()
  }

  async facts(remote: string, { name, ...tip }: NamedRefTip, signal: AbortSignal): Promise<RefTipFacts> {
    const ask = (): Promise<RefTipFacts> => this.#refTips.describe(remote, { ...tip, ref: name }, signal)
    const key = `${remote} ${name} ${tip.object}`
    const facts = (await this.#cachedOr(key, ask)) as RefTipFacts
    if (facts.signature.state === 'unknown-key' || facts.signature.state === 'bad') this.#cached.delete(key)
    return facts
  }

  /** Whether `to` has `from` among its ancestors; null: that cannot be found out. */
  async forward(remote: string, from: string, to: string, signal: AbortSignal): Promise<boolean | null> {
    const ask = async (): Promise<boolean | null> =>
      (await this.#refTips.isForward(remote, { from, to }, signal)) ?? null
    return (await this.#cachedOr(`${remote} ${from} ${to}`, ask)) as boolean | null
  }

  async #cachedOr(
    key: string,
    ask: () => Promise<RefTipFacts | boolean | null>,
  ): Promise<RefTipFacts | boolean | null> {
    const known = this.#cached.get(key)
    const told = known === undefined ? await ask() : known
    this.#cached.delete(key)
    this.#cached.set(key, told)
    if (this.#cached.size > kept) this.#cached.delete(this.#cached.keys().next().value!)
    return told
  }
}
