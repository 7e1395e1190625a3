import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { Store } from '../../src/store/store.js'

/**
 * Stacks that are never polled, `stack-00000` and so on, each with a run that ended. `path`: of the source of each;
 * `first`: the number of the first one.
 */
export async function createMany(
  store: Store,
  many: number,
  path: (at: number) => string = () => 'boards',
  first = 0,
): Promise<void> {
  const record = { managedBy: 'api', target: 'embedded/local', cause: { kind: 'created' }, quietly: true } as const
  for (let from = first; from < first + many; from += 1_000)
    await Promise.all(
      Array.from({ length: Math.min(1_000, first + many - from) }, (_, at) =>
        store.stacks.create(specOf(from + at, path(from + at)), record),
      ),
    )
}

export const nameAt = (at: number): string => `stack-${String(at).padStart(5, '0')}`

function specOf(at: number, path: string) {
  const sources = [{ kind: 'git', url: 'https://git.example/fleet.git', ref: 'stable', path }] as const
  return { ...stackDefaults, name: nameAt(at), sources, intervalMs: 86_400_000, drift: 'ignore' } as const
}
