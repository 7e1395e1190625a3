import type { SourceFile } from './source.js'

/** Packages that were pushed to stacks with an inline source. */
export interface PushedPackages {
  /** The state of the newest push, and who pushed it; undefined: none is stored. `stack`: its name. */
  newest(stack: string): Promise<{ readonly state: string; readonly by: string } | undefined>
  /** undefined: this state is not stored. */
  files(stack: string, state: string): Promise<readonly SourceFile[] | undefined>
}
