// The remotes of a stack's sources, and what channels release of them.
import { sourceLocation, type SourceSpec } from '../../model/sources/source-spec.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import type { Source } from '../../source/source.js'
import type { Context } from '../context.js'

/** Throws if one of the sources is not allowed. */
export function refuseSources({ sync }: Pick<Context, 'sync'>, { name, sources }: StackSpec): void {
  for (const one of sources) sync.source.remoteOf(one, name)
}

/** The remote of a source; its declared location if the source is no longer allowed. */
export function remoteOf(
  { sync }: { readonly sync: Pick<Context['sync'], 'source'> },
  source: SourceSpec,
  stack: string,
): string {
  try {
    return sync.source.remoteOf(source, stack)
  } catch {
    return sourceLocation(source)
  }
}

/** Polls as stacks do: a ref gives its released commit. */
export function releasedSource({
  sync: { source },
  scheduler,
}: Pick<Context, 'sync' | 'scheduler'>): Pick<Source, 'remoteOf' | 'poll'> {
  return {
    remoteOf: (one, stack) => source.remoteOf(one, stack),
    poll: async (remote, refs, signal) =>
      scheduler.polls.released(remote, await source.poll(remote, refs, signal), signal),
  }
}
