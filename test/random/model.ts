// What a person outside knows: who is suspended, what was approved, what was made by hand. Small on purpose.
import type { Consent } from '../../src/model/change.js'
import type { JsonObject } from '../../src/model/json.js'
import { digitsOf, statesOf } from '../../src/model/revision.js'
import { addressesOf } from './package-model.js'
import { commitNamed, type History } from './history.js'

export class Model {
  /** Stack → until when (milliseconds), or for ever. */
  readonly suspended = new Map<string, number>()
  /** `family/identity` → what a hand made, as it must stay while nobody owns it; 'changed' where a hand changed it while somebody did. */
  readonly foreign = new Map<string, JsonObject | 'changed'>()
  /** What looks made known to stacks. */
  readonly seen: { readonly stack: string; readonly revision: string }[] = []
  readonly #approved = new Set<string>()
  readonly #history: History

  constructor(history: History) {
    this.#history = history
  }

  isSuspended(stack: string, now: number): boolean {
    return now < (this.suspended.get(stack) ?? 0)
  }

  approve(stack: string, { revision, changes }: Pick<Consent, 'revision' | 'changes'>): void {
    for (const { address, action } of changes) this.#approved.add(`${stack} ${statesOf(revision)} ${action} ${address}`)
  }

  isApproved(stack: string, revision: string, action: 'write' | 'remove', address: string): boolean {
    return this.#approved.has(`${stack} ${statesOf(revision)} ${action} ${address}`)
  }

  /** What a revision declares for a stack; undefined: nothing that could be applied. */
  declaredBy(revision: string, stack: string): ReadonlySet<string> | undefined {
    const content = commitNamed(this.#history, digitsOf(revision))?.contents[stack]
    return content === undefined || typeof content === 'string' ? undefined : addressesOf(content)
  }
}
