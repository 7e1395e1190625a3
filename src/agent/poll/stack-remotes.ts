// The remotes of the sources of stacks.
import { isUndeclared, type Stack } from '../../model/stack.js'
import type { Source } from '../../source/source.js'
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
 * Of all stored stacks; undefined: those of a stack are not known now, because it may not be polled or no file declares
 * it any more. Their clones depend on the configuration that it had.
 */
export async function storedRemotes({
  store,
  ...deps
}: RemoteDeps & { readonly store: Store }): Promise<ReadonlySet<string> | undefined> {
  const remotes = new Set<string>()
  for await (const stack of everyStack(store)) {
    const own = isUndeclared(stack) ? undefined : allowedRemotes(stack, deps)
    if (own === undefined) return undefined
    for (const remote of own) remotes.add(remote)
  }
  return remotes
}

/** undefined: a source of the stack is refused. */
function allowedRemotes(stack: Stack, deps: RemoteDeps): readonly string[] | undefined {
  try {
    return stackRemotes(stack, deps)
  } catch {
    return undefined
  }
}
