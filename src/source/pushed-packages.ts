import type { SourceFile } from './source.js'

/** What was pushed to stacks that have an inline source. */
export interface PushedPackages {
  /** The state of the newest push, and who pushed; undefined: none is stored. `stack`: its name. */
  newest(stack: string): Promise<{ readonly state: string; readonly by: string } | undefined>
  /** Undefined: nothing of this state is kept. */
  files(stack: string, state: string): Promise<readonly SourceFile[] | undefined>
}
