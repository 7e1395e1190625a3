// The title of the tab: what the view shows.
import { channelText, visible } from './lib/text.js'
import { navigation } from './navigation.js'

const partsOfStack: Readonly<Record<string, string>> = { plan: 'Plan', drift: 'Drift', compare: 'Compare runs' }

/** `rel1`, `Run 12 of rel1`, `stable of fleet`, `History`; empty: the overview. */
function viewName([part = '', name, more, ...rest]: readonly string[], channel: string | null): string {
  if (part === 'stacks' && name !== undefined) {
    if (more === undefined) return name
    if (more === 'runs') return `Run ${rest.join('/')} of ${name}`
    return `${partsOfStack[more] ?? rest.join('/')} of ${name}`
  }
  if (part === 'new-stack') return 'New stack'
  if (part === 'channels' && name === 'promote') return 'Promote'
  if (part === 'channels' && channel !== null) return visible(channelText(channel))
  if (part === 'targets' && name !== undefined) return name
  return part === '' ? '' : (navigation.find(({ to }) => to === `/${part}`)?.name ?? '')
}

/** `(1) rel1 – gitmoor`. `attention`: how many stacks need attention; `channel`: in the query of the address. */
export function titleOf(parts: readonly string[], channel: string | null, attention: number): string {
  const name = viewName(parts, channel)
  return `${attention > 0 ? `(${attention}) ` : ''}${name === '' ? '' : `${name} – `}gitmoor`
}
