// Which variables and files that the settings of stacks refer to cannot be read now. Each is read once for all its
// stacks: when the first of them comes, and then once a minute. No value is kept.
import { Slices } from '../../lib/async/steps.js'
import type { UnreadableCause, UnreadableInput } from '../../model/resources/inputs.js'
import type { Stack } from '../../model/stacks/stack.js'
import { referencesIn } from '../../secrets/resolve-value.js'
import type { StackInputs, StackReference } from '../../stacks/inputs/inputs.js'
import type { Changes } from '../watch/changes.js'
import type { Live } from '../watch/live.js'
import type { Log } from '../watch/log.js'

export interface StackReferencesDeps {
  readonly inputs: Pick<StackInputs, 'references' | 'whyUnreadable'>
  readonly live: Live
  readonly changes: Changes
  readonly log: Log
}

interface ReferenceState {
  readonly reference: StackReference
  readonly stacks: Set<string>
  /** undefined: it can be read. */
  cause: UnreadableCause | undefined
}

export class StackReferences {
  readonly #deps: StackReferencesDeps
  /** Stacks without references are not in it. */
  readonly #stacks = new Map<string, readonly StackReference[]>()
  /** By what is read. */
  readonly #states = new Map<string, ReferenceState>()

  constructor(deps: StackReferencesDeps) {
    this.#deps = deps
  }

  /** The stack is new, or its settings changed. */
  follow(stack: Stack): void {
    const references = this.#deps.inputs.references(stack)
    if (references.length === 0 && !this.#stacks.has(stack.id)) return
    this.remove(stack.id)
    if (references.length === 0) return
    this.#stacks.set(stack.id, references)
    for (const reference of references) this.#add(reference, stack.id)
    this.#publish(stack.id)
  }

  /** The stack was deleted, or gitmoor does nothing for it. */
  remove(stack: string): void {
    for (const reference of this.#stacks.get(stack) ?? []) {
      const state = this.#states.get(keyOf(reference))
      state?.stacks.delete(stack)
      if (state?.stacks.size === 0) this.#states.delete(keyOf(reference))
    }
    this.#stacks.delete(stack)
    this.#deps.live.setUnreadableInputs(stack, [])
  }

  /** Reads every reference, in slices. */
  async check(): Promise<void> {
    const slices = new Slices()
    for (const state of this.#states.values()) {
      await slices.afterStep()
      const before = state.cause?.why
      this.#read(state)
      if (state.cause?.why !== before) for (const stack of state.stacks) this.#publish(stack)
    }
  }

  #add(reference: StackReference, stack: string): void {
    const key = keyOf(reference)
    const known = this.#states.get(key)
    if (known !== undefined) return void known.stacks.add(stack)
    const state: ReferenceState = { reference, stacks: new Set([stack]), cause: undefined }
    this.#states.set(key, state)
    this.#read(state)
  }

  #read(state: ReferenceState): void {
    const { inputs, log } = this.#deps
    const before = state.cause?.why
    state.cause = inputs.whyUnreadable(state.reference)
    const { stacks, cause } = state
    if (cause?.why === before) return
    const reference = referencesIn(state.reference.text)
    if (cause === undefined) log.info('reference can be read again', { reference })
    else log.warn('reference cannot be read', { reference, stacks: stacks.size, error: cause.why })
  }

  #publish(stack: string): void {
    const unreadable = (this.#stacks.get(stack) ?? []).flatMap((reference): readonly UnreadableInput[] => {
      const cause = this.#states.get(keyOf(reference))?.cause
      return cause === undefined ? [] : [{ kind: reference.kind, key: reference.key, ...cause }]
    })
    this.#deps.live.setUnreadableInputs(stack, unreadable)
    this.#deps.changes.notify(stack)
  }
}

function keyOf({ text, managedBy }: StackReference): string {
  return `${managedBy} ${text}`
}
