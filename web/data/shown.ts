// Which stacks the tabs of this browser show.

export interface ShownStacks {
  /** An id that the tab gave itself. */
  readonly tab: string
  readonly names: readonly string[]
}

/** As many as the agent takes, and as an address may have. */
const mostNames = 100
const mostCharacters = 4_000

const byTab = new Map<string, readonly string[]>()

/** The tab that changed last comes first. */
export function noteShown({ tab, names }: ShownStacks): void {
  byTab.delete(tab)
  if (names.length > 0) byTab.set(tab, names)
}

/** The names of one tab or of all, separated by commas. */
export function shownNames(tab?: string): string {
  const lists = tab === undefined ? [...byTab.values()].reverse() : [byTab.get(tab) ?? []]
  const names = [...new Set(lists.flat())].slice(0, mostNames)
  while (names.join(',').length > mostCharacters) names.pop()
  return names.join(',')
}
