// What people know: suspended stacks, approvals, resources made by hand. Small on purpose.
import type { ChannelMove } from '../../src/model/sources/channel.js'
import type { Consent } from '../../src/model/resources/change.js'
import type { JsonObject } from '../../src/model/json.js'
import { hashDigits, revisionHashes } from '../../src/model/sources/revision.js'
import type { ChannelPolicy } from '../../src/channel/channel-policy.js'
import { addressesOf } from './package-model.js'
import { commitNamed, type History } from './history.js'

export class Model {
  /** Stack → until when (milliseconds), or for ever. */
  readonly suspended = new Map<string, number>()
  /**
   * `family/identity` → a resource made by hand, which must stay as it is without an owner; 'changed': it was changed
   * by hand while a stack owned it.
   */
  readonly foreign = new Map<string, JsonObject | 'changed'>()
  /** The revisions that polls stored for stacks. */
  readonly seen: { readonly stack: string; readonly revision: string }[] = []
  /** Of the configuration file that is in force. */
  policies: readonly ChannelPolicy[] = []
  /** `ref commit`, from the answer to a veto until anything may have ended it. */
  readonly vetoed = new Set<string>()
  /** Moments that the clock showed, in order. */
  readonly instants: number[] = []
  /** `ref commit` of all that was ever released or pinned. */
  readonly #offered = new Set<string>()
  readonly #approved = new Set<string>()
  readonly #history: History

  constructor(history: History) {
    this.#history = history
  }

  isSuspended(stack: string, now: number): boolean {
    return now < (this.suspended.get(stack) ?? 0)
  }

  offer(ref: string, commit: string | undefined): void {
    this.#offered.add(`${ref} ${commit}`)
  }

  wasOffered(ref: string, commit: string): boolean {
    return this.#offered.has(`${ref} ${commit}`)
  }

  /** The decision on a move may end a veto. */
  decided({ ref, to, state, decision }: ChannelMove): void {
    if (state !== 'vetoed' && (state !== 'superseded' || decision?.kind === 'approve'))
      this.vetoed.delete(`${ref} ${to?.commit}`)
  }

  approve(stack: string, { revision, changes }: Pick<Consent, 'revision' | 'changes'>): void {
    for (const { address, action } of changes)
      this.#approved.add(`${stack} ${revisionHashes(revision)} ${action} ${address}`)
  }

  isApproved(stack: string, revision: string, action: 'write' | 'remove', address: string): boolean {
    return this.#approved.has(`${stack} ${revisionHashes(revision)} ${action} ${address}`)
  }

  /** What a revision declares for a stack; undefined: nothing that could be applied. */
  declaredBy(revision: string, stack: string): ReadonlySet<string> | undefined {
    const content = commitNamed(this.#history, hashDigits(revision))?.contents[stack]
    return content === undefined || typeof content === 'string' ? undefined : addressesOf(content)
  }
}
