/** Waits that the stack's own settings cause. */
export const gateReasons = ['Window', 'Dependencies'] as const
/** `Channel`: the channel has released nothing yet. */
export const waitReasons = [...gateReasons, 'Channel'] as const

/** Why a stack is not synced automatically for now. */
export interface Wait {
  readonly reason: (typeof waitReasons)[number]
  readonly message: string
  /** When it ends by itself, in milliseconds since the epoch; null: at another event. */
  readonly until: number | null
  /** What else would end it. */
  readonly next: string
}
