/** Blockers that the stack's own settings cause. */
export const settingBlockerReasons = ['Window', 'Dependencies'] as const
/** `Channel`: the channel has released nothing yet. */
export const blockerReasons = [...settingBlockerReasons, 'Channel'] as const

/** Why a stack is not synced automatically for now. */
export interface Blocker {
  readonly reason: (typeof blockerReasons)[number]
  readonly message: string
  /** When it ends by itself, in milliseconds since the epoch; null: at another event. */
  readonly until: number | null
  /** What else would end it. */
  readonly next: string
}
