import type { Direction, NamedRefTip, RefTipFacts } from '../../../model/sources/channel.js'
import type { RefTips } from '../../../source/ref-tips.js'

const kept = 1_000

/**
 * Caches facts about ref tips, so polls do not fetch the facts of a blocked move again. Bad signatures and signatures
 * by unknown keys are checked again, because the configured keys may change. Errors: those of `RefTips`; not cached.
 */
export class CachedRefTips {
  readonly #refTips: Pick<RefTips, 'describe' | 'direction'>
  #cached = new Map<string, RefTipFacts | Direction>()

  constructor(tips: Pick<RefTips, 'describe' | 'direction'>) {
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

  async direction(remote: string, from: string, to: string, signal: AbortSignal): Promise<Direction> {
    const read = (): Promise<Direction> => this.#refTips.direction(remote, { from, to }, signal)
    return (await this.#cachedOr(`${remote} ${from} ${to}`, read)) as Direction
  }

  async #cachedOr(key: string, read: () => Promise<RefTipFacts | Direction>): Promise<RefTipFacts | Direction> {
    const cached = this.#cached
    const value = cached.get(key) ?? (await read())
    cached.delete(key)
    cached.set(key, value)
    if (cached.size > kept) cached.delete(cached.keys().next().value!)
    return value
  }
}
