// What the palette offers: views, stacks, channels, targets, resources and runs, and what can be done about them.
import { resumeStack, suspendStack, syncStack, unpinStack, type Action } from './actions.js'
import { ask } from './ask.js'
import type { ChannelSummary } from './data/overview.js'
import type { StackResource, StackRow, StackRunRow, TargetView } from './data/types.js'
import { go, stackPath } from './lib/route.js'
import { commitIn, shellWord } from './lib/text.js'
import { navigation } from './navigation.js'
import { actionOf } from './next-action.js'

export interface PaletteEntry {
  readonly icon: string
  readonly name: string
  readonly note: string
  /** What a person types who means exactly this; absent: the name. */
  readonly exact?: string
  readonly open: () => void
}

/** What the page knows, or found for the words. */
export interface Found {
  /** Of the view; undefined: the view is not of one stack. */
  readonly here: StackRow | undefined
  readonly resources: readonly StackResource[]
  readonly stacks: readonly StackRow[]
  readonly channels: readonly ChannelSummary[]
  readonly targets: readonly TargetView[]
  /** Of the commit that was typed. */
  readonly runs: readonly StackRunRow[]
}

const mostEntries = 10

/** Words of actions on stacks: the other words name the stack. */
const verbs = ['sync', 'suspend', 'resume', 'retry', 'approve', 'review', 'plan', 'compare', 'drift', 'end', 'rollback']

/** The stack that the words name; empty: they have only verbs. */
export function nameIn(words: string): string {
  const names = words.split(/\s+/).filter((word) => word !== '' && !verbs.some((verb) => verb.startsWith(word)))
  return (names.at(-1) ?? '').slice(0, 63)
}

/** A short or full commit; undefined: the words are none. */
export function commitInWords(words: string): string | undefined {
  return /^[0-9a-f]{4,40}$/.exec(words)?.[0]
}

/** In the order of how well they fit. Without words: what can be done about the stack of the view, and the views. */
export function entriesFor(words: string, found: Found): readonly PaletteEntry[] {
  const own = found.here === undefined ? [] : actionsOn(found.here)
  const views = [
    ...navigation.map(({ to, icon, name, key }) => entry(icon, name, `g ${key}`, () => go(to))),
    entry('new', 'New stack', 'gitmoor stack create', () => go('/new-stack')),
    entry('promote', 'Promote', 'gitmoor channel promote', () => go('/channels/promote')),
  ]
  if (words === '') return [...own, ...views].slice(0, mostEntries)
  const others = found.stacks.filter(({ name }) => name !== found.here?.name)
  const all = [
    ...own,
    ...views,
    ...found.stacks.map(({ name, target }) => entry('stacks', name, target, () => go(stackPath(name)))),
    ...others.flatMap(actionsOn),
    ...found.channels.flatMap(ofChannel),
    ...found.targets.map(({ name, platform }) => ({
      ...entry('targets', `Target ${name}`, platform, () => go(`/targets/${encodeURIComponent(name)}`)),
      exact: name,
    })),
    ...found.resources.map(({ address, kind, displayName }) =>
      entry(kind, address, displayName, () => go(stackPath(found.here!.name, 'resources', ...address.split('/')))),
    ),
    ...found.runs.map(ofRun),
  ]
  const ranks = all.map((one) => rank(one, words.toLowerCase()))
  return all
    .map((one, at) => ({ one, rank: ranks[at]! }))
    .filter(({ rank: of }) => of < noMatch)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one)
    .slice(0, mostEntries)
}

const noMatch = 4

/** 0: exactly this; 1: begins so; 2: a word begins so; 3: all words are in it. */
function rank({ name, exact = name }: PaletteEntry, words: string): number {
  const [full, short] = [name.toLowerCase(), exact.toLowerCase()]
  if (full === words || short === words) return 0
  if (full.startsWith(words) || short.startsWith(words)) return 1
  if (full.includes(` ${words}`)) return 2
  return words.split(/\s+/).every((word) => full.includes(word)) ? 3 : noMatch
}

function entry(icon: string, name: string, note: string, open: () => void): PaletteEntry {
  return { icon, name, note, open }
}

/** As the view of the stack offers them. */
function actionsOn({ name, status: { state, next }, suspended, pinned }: StackRow): readonly PaletteEntry[] {
  const views = [
    ['Needs approval', 'Approve or review the plan of', 'plan', `gitmoor plan ${name}`],
    ['Drifted', 'Compare the drift of', 'drift', `gitmoor explain ${name}`],
  ] as const
  const steps = next.flatMap(({ verb, args }) => actionOf(verb, args) ?? [])
  const actions = [
    ...steps,
    syncStack(name),
    ...(pinned === null ? [] : [unpinStack(name)]),
    suspended === null ? suspendStack(name) : resumeStack(name),
  ]
  const byLabel = new Map(actions.map((action) => [action.label, action]))
  return [
    ...views
      .filter(([of]) => of === state)
      .map(([, label, view, cli]) => entry('plan', `${label} ${name}`, cli, () => go(stackPath(name, view)))),
    ...[...byLabel.values()].map((action: Action) =>
      entry('retry', `${action.label} ${name}`, action.cli, () => ask(action, name)),
    ),
  ]
}

/** The view of a channel has its buttons and its moves. */
function ofChannel({ name, ref, pin, newest }: ChannelSummary): readonly PaletteEntry[] {
  const address = `channel=${encodeURIComponent(name)}`
  const show = (): void => go(`/channels?${address}`)
  const [word, icon] = pin === null ? ['Pin', 'pinned'] : ['Unpin', 'pinned']
  return [
    { ...entry('channels', `Channel ${ref}`, name, show), exact: ref },
    entry('promote', `Promote from ${ref}`, 'gitmoor channel promote', () =>
      go(`/channels/promote?from=${encodeURIComponent(name)}`),
    ),
    entry(icon, `${word} ${ref}`, `gitmoor channel ${word.toLowerCase()} ${shellWord(ref)}`, show),
    ...(newest === null ? [] : [entry('veto', `Veto a move of ${ref}`, `gitmoor channel log ${shellWord(ref)}`, show)]),
  ]
}

function ofRun({ id, stack, revision, cause }: StackRunRow): PaletteEntry {
  const commit = commitIn(revision) ?? cause.to ?? ''
  return {
    ...entry('history', `Run ${id} of ${stack}, ${commit.slice(0, 7)}`, `gitmoor history ${stack} ${id}`, () =>
      go(stackPath(stack, 'runs', id)),
    ),
    exact: commit,
  }
}
