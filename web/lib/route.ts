// The address of the view. It contains every filter, tab and selection, so that it opens the same view elsewhere.
import { computed, signal } from '@preact/signals'
import { visible } from './text.js'

const here = (): string => location.pathname + location.search

/** Path and query of the view. */
export const address = signal(here())

/** `['stacks', 'boards', 'plan']`. */
export const segments = computed(() => {
  const [path = ''] = address.value.split('?')
  return path.split('/').slice(1).filter(Boolean).map(decoded)
})

/** Anybody can make an address: control and bidirectional characters of it become visible. */
function decoded(segment: string): string {
  try {
    return visible(decodeURIComponent(segment))
  } catch {
    return segment
  }
}

export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''))

addEventListener('popstate', () => (address.value = here()))

/** Opens a view. `replace`: it takes the place of this one in the history of the browser. */
export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to === address.value) return
  const isSameView = to.split('?')[0] === address.value.split('?')[0]
  history[replace ? 'replaceState' : 'pushState']({}, '', to)
  address.value = to
  if (isSameView) return
  scrollTo(0, 0)
  document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
}

/** The address of this view with other values of its query; an empty value removes the key. */
export function withQuery(changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query.value)
  for (const [key, value] of Object.entries(changes)) {
    if (value === '') next.delete(key)
    else next.set(key, value)
  }
  const text = next.toString()
  const [path = '/'] = address.value.split('?')
  return text === '' ? path : `${path}?${text}`
}

export const stackPath = (name: string, ...more: readonly string[]): string =>
  `/${['stacks', name, ...more].map(encodeURIComponent).join('/')}`
