// A list that events change: sorted again at once, or, while a person is in it, in place.
import { signal } from '@preact/signals'
import { onEvents, type Changes } from './events.js'
import { PagedList } from './paged-list.js'

export abstract class LiveList<Item, Entry> extends PagedList<Item, Entry> {
  /** How many entries are not in the list, or not where its order has them. */
  readonly newer = signal(0)
  /** A person is in the list: entries keep their order. */
  #isHeld = false
  /** Entries may have changed that are not known. */
  #isStale = false
  #isUpdating = false
  #waiting: Changes | undefined

  override open(): () => void {
    const stop = onEvents((changes) => void this.#update(changes))
    const close = super.open()
    return () => {
      stop()
      close()
    }
  }

  /** Whether a person is in the list. When nobody is, it is sorted again. */
  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld
    if (!isHeld && (this.#isStale || this.newer.value > 0)) void this.sortAgain()
  }

  sortAgain(): Promise<void> {
    this.forgetNewer()
    return this.again()
  }

  protected forgetNewer(): void {
    this.newer.value = 0
    this.#isStale = false
  }

  /** Changes entries in place, and counts in `newer` those that belong elsewhere. Errors: `CallError`. */
  protected abstract updateInPlace(changes: Changes): Promise<void>

  /** One change at a time; those that arrive meanwhile are one. */
  async #update(changes: Changes): Promise<void> {
    if (this.#isUpdating) return void (this.#waiting = merged(this.#waiting, changes))
    this.#isUpdating = true
    try {
      const keepsOrder = (): boolean => this.#isHeld && this.data.value !== undefined
      if (!keepsOrder()) {
        this.forgetNewer()
        await this.readAgain(() => !keepsOrder())
      }
      if (!keepsOrder()) return
      this.#isStale ||= changes.reset || changes.more
      await this.updateInPlace(changes)
    } catch {
      // Without an answer there is no stream of events, either: after it is back, all is read again.
    } finally {
      this.#isUpdating = false
      const waiting = this.#waiting
      this.#waiting = undefined
      if (waiting !== undefined) void this.#update(waiting)
    }
  }
}

function merged(a: Changes | undefined, b: Changes): Changes {
  if (a === undefined) return b
  return {
    reset: a.reset || b.reset,
    stacks: new Set([...a.stacks, ...b.stacks]),
    more: a.more || b.more,
    channels: a.channels || b.channels,
  }
}
