// The remotes of the sources of stacks.
import { isUndeclared, type Stack } from '../../model/stacks/stack.js'
import { uncheckedRemote } from '../../source/unchecked-remote.js'
import type { Source, UsedRemotes } from '../../source/source.js'
import { everyStack } from '../../stacks/stacks.js'
import type { Store } from '../../store/store.js'

interface RemoteDeps {
  readonly source: Source
  /** Why a stack is not polled; undefined: it is. */
  readonly refusal: ((stack: Stack) => Error | undefined) | undefined
}

/** Each once. Throws if a source of the stack is refused. */
export function stackRemotes(stack: Stack, { source, refusal }: RemoteDeps): readonly string[] {
  const { name, sources } = stack.spec
  const refused = refusal?.(stack)
  if (refused !== undefined) throw refused
  return [...new Set(sources.map((one) => source.remoteOf(one, name)))]
}

/**
 * Of all stored stacks. Undecided are those of stacks that may not be polled or that no file declares any more: their
 * clones depend on the configuration that they had.
 */
export async function storedRemotes({ store, ...deps }: RemoteDeps & { readonly store: Store }): Promise<UsedRemotes> {
  const remotes = new Set<string>()
  const undecided = new Set<string>()
  for await (const stack of everyStack(store)) {
    const own = isUndeclared(stack) ? undefined : allowedRemotes(stack, deps)
    if (own !== undefined) for (const remote of own) remotes.add(remote)
    else for (const one of stack.spec.sources) undecided.add(uncheckedRemote(one) ?? '')
  }
  undecided.delete('')
  return { remotes: [...remotes], undecided: [...undecided] }
}

/** undefined: a source of the stack is refused. */
function allowedRemotes(stack: Stack, deps: RemoteDeps): readonly string[] | undefined {
  try {
    return stackRemotes(stack, deps)
  } catch {
    return undefined
  }
}
