import type { WindowOverride } from '../model/window-override.js'

/** Windows that requests without a run wrote past; of each stack only the newest are kept. */
export interface OverrideTable {
  /** `stacks`: ids, each with its closed window. */
  add(override: Omit<WindowOverride, 'past'>, stacks: readonly { readonly stack: string; readonly past: string }[]): Promise<void>
  /** Newest first. */
  list(stack: string, limit: number): Promise<readonly WindowOverride[]>
}
