import type { PushedPackages } from '../source/pushed-packages.js'
import type { StackCheck } from './stack-table.js'
import type { PackageFileRow } from './file-table.js'

/** A pushed package. `digest`: of the listing of paths and contents. */
export interface Push {
  readonly digest: string
  readonly files: readonly PackageFileRow[]
  readonly by: string
  /** Where it came from, as the client says. Absent: unknown. */
  readonly sources?: readonly string[]
}

export interface PushTable extends PushedPackages {
  /** Replaces the former push of the stack (by its id), and ends its suspension after an uninstall. */
  put(stack: string, push: Push, check?: StackCheck): Promise<void>
}
