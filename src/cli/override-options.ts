/** Options of verbs that write, for a closed sync window. */
export interface OverrideOptions {
  readonly overrideWindow?: boolean
  readonly why?: string
}

export const overrideOption = ['--override-window', 'write though a sync window closes the stack; with --why'] as const

/** `whyNote`: where the verb has a reason of its own, which is this one, too. */
export function overrideOptions(
  whyNote = 'why the window is overridden, for the record',
): readonly (readonly [string, string])[] {
  return [overrideOption, ['--why <TEXT>', whyNote]]
}

/** Of a request's body. */
export function overrideBody({ overrideWindow, why }: OverrideOptions): OverrideOptions {
  return overrideWindow === true ? { overrideWindow, ...(why === undefined ? {} : { why }) } : {}
}

/** Of its query. */
export function overrideQuery({ overrideWindow, why }: OverrideOptions): {
  readonly overrideWindow?: string
  readonly why?: string
} {
  return overrideWindow === true ? { overrideWindow: 'true', ...(why === undefined ? {} : { why }) } : {}
}
