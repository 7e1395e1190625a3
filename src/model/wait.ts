/** What settings of the stack itself make it wait for. */
export const gateReasons = ['Window', 'Dependencies'] as const
/** `Channel`: nothing is released yet of what it follows. */
export const waitReasons = [...gateReasons, 'Channel'] as const

/** Why a stack is, for now, not brought to its revision without a person asking. */
export interface Wait {
  readonly reason: (typeof waitReasons)[number]
  readonly message: string
  /** When it ends by itself, in milliseconds since the epoch; null: with something else. */
  readonly until: number | null
  /** What else would end it. */
  readonly next: string
}
