import type { Lease, WindowOverride } from '../model/stacks/run.js'

/** Writes during closed windows that are not part of a run; only the newest of each stack are kept. */
export interface OverrideTable {
  /** `stacks`: ids, each with its closed window; `lease`: of the run that writes. Errors: `LeaseLost`. */
  add(
    override: Omit<WindowOverride, 'overrode'>,
    stacks: readonly { readonly stack: string; readonly past: string }[],
    lease?: Lease,
  ): Promise<void>
  /** Newest first. */
  list(stack: string, limit: number): Promise<readonly WindowOverride[]>
}
