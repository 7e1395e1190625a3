// An uninstall that needs approval: a run of the package would replace it without a word.
import { Refused } from '../../model/errors.js'
import type { Stack } from '../../model/stacks/stack.js'
import { awaitsUninstall } from '../../status/axes.js'
import type { Store } from '../../store/store.js'

/** Throws if an uninstall of the stack needs approval. `what` would drop it: `Changed settings`. */
export async function refuseWaitingUninstall({ runs }: Pick<Store, 'runs'>, stack: Stack, what: string): Promise<void> {
  const last = (await runs.last([stack.id])).get(stack.id)
  if (last === undefined || !awaitsUninstall({ stack, last })) return
  const { name } = stack.spec
  throw new Refused(
    'needs-approval',
    `The uninstall of ${name} needs approval (run ${last.id}). ${what} would drop it.`,
    {
      code: 'stacks/uninstall-waits',
      hint: `Cancel it, then try again: gitmoor cancel ${name}\nOr approve its plan: gitmoor plan ${name}`,
    },
  )
}
