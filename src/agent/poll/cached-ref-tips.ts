import type { NamedRefTip, RefTipFacts } from '../../model/channel.js'
import type { RefTips } from '../../source/ref-tips.js'

const kept = 1_000

/**
 * Caches facts about ref tips, so polls do not fetch the facts of a blocked move again. Bad signatures and signatures
 * by unknown keys are checked again, because the configured keys may change. Errors: those of `RefTips`; not cached.
 */
export class CachedRefTips {
  readonly #refTips: Pick<RefTips, 'describe' | 'isForward'>
  #cached = new Map<string, RefTipFacts | boolean | null>()

  constructor(tips: Pick<RefTips, 'describe' | 'isForward'>) {
    this.#refTips = tips
  }

  /** Call it when signing keys may have changed, so signatures are checked again. What is being read is not cached. */
  clear(): void {
    this.#cached = new Map()
  }

  async facts(remote: string, { name, ...tip }: NamedRefTip, signal: AbortSignal): Promise<RefTipFacts> {
    const read = (): Promise<RefTipFacts> => this.#refTips.describe(remote, { ...tip, ref: name }, signal)
    const key = `${remote} ${name} ${tip.object}`
    const facts = (await this.#cachedOr(key, read)) as RefTipFacts
    if (facts.signature.state === 'unknown-key' || facts.signature.state === 'bad') this.#cached.delete(key)
    return facts
  }

  /** Whether `from` is an ancestor of `to`; null: this cannot be determined. */
  async forward(remote: string, from: string, to: string, signal: AbortSignal): Promise<boolean | null> {
    const read = async (): Promise<boolean | null> =>
      (await this.#refTips.isForward(remote, { from, to }, signal)) ?? null
    return (await this.#cachedOr(`${remote} ${from} ${to}`, read)) as boolean | null
  }

  async #cachedOr(
    key: string,
    read: () => Promise<RefTipFacts | boolean | null>,
  ): Promise<RefTipFacts | boolean | null> {
    const cached = this.#cached
    const known = cached.get(key)
    const value = known === undefined ? await read() : known
    cached.delete(key)
    cached.set(key, value)
    if (cached.size > kept) cached.delete(cached.keys().next().value!)
    return value
  }
}
