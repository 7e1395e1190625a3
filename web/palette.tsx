// Search or act: `/` or Ctrl K.
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { actionOf, start, syncStack } from './actions.js'
import { call } from './data/call.js'
import type { Page, StackRow } from './data/types.js'
import { go, stackPath } from './lib/route.js'
import { navigation } from './navigation.js'
import { Icon } from './parts/icon.js'

export const isPaletteOpen = signal(false)

interface Entry {
  readonly icon: string
  readonly name: string
  readonly note: string
  readonly open: () => void
}

const searchDelayMs = 120
const mostEntries = 9

/** Views that fit the words, and stacks whose names do, with what can be done about them. */
function entriesFor(words: string, stacks: readonly StackRow[]): readonly Entry[] {
  const fits = (text: string): boolean =>
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.toLowerCase().includes(word))
  const views = [
    ...navigation.map(({ to, icon, name, key }): Entry => ({ icon, name, note: `g ${key}`, open: () => go(to) })),
    { icon: 'new', name: 'New stack', note: 'gitmoor stack create', open: () => go('/new-stack') },
  ]
  const open = stacks.map(({ name, target }): Entry => ({
    icon: 'stacks',
    name,
    note: target,
    open: () => go(stackPath(name)),
  }))
  const actions = stacks.flatMap(({ name, status: { state, next } }): Entry[] => {
    if (state === 'Needs approval') {
      const cli = `gitmoor plan ${name}`
      return [{ icon: 'plan', name: `Review the plan of ${name}`, note: cli, open: () => go(stackPath(name, 'plan')) }]
    }
    const action =
      next.map(({ verb, args }) => actionOf(verb, args)).find((one) => one !== undefined) ?? syncStack(name)
    return [{ icon: 'retry', name: `${action.label} ${name}`, note: action.cli, open: () => start(action) }]
  })
  return [...views.filter(({ name }) => fits(name)), ...(words === '' ? [] : [...open, ...actions])].slice(
    0,
    mostEntries,
  )
}

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const [stacks, setStacks] = useState<readonly StackRow[]>([])
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (words.trim() === '') return setStacks([])
    const name = words.trim().split(/\s+/).at(-1)!
    const search = async (): Promise<void> => {
      const found = await call<Page<StackRow>>('GET', `stacks?limit=6&name=${encodeURIComponent(name.slice(0, 63))}`)
      setStacks(found.items)
    }
    const timer = setTimeout(() => void search().catch(() => setStacks([])), searchDelayMs)
    return () => clearTimeout(timer)
  }, [words])
  const entries = entriesFor(words.trim(), stacks)
  const close = (): void => void (isPaletteOpen.value = false)
  const pick = (entry: Entry): void => {
    close()
    entry.open()
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt(Math.max(0, Math.min(entries.length - 1, at + step)))
    }
    const entry = entries[at]
    if (event.key === 'Enter' && entry !== undefined) pick(entry)
  }
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or act"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="input">
        <Icon name="search" />
        <input
          autofocus
          placeholder="A stack, a view, or what you want to do"
          aria-label="Search or act"
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={`found-${at}`}
          value={words}
          onInput={(event) => {
            setWords(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
      </div>
      <ul id="found" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <li
            key={entry.name + entry.note}
            id={`found-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => pick(entry)}
          >
            <Icon name={entry.icon} />
            <span>{entry.name}</span>
            <small>{entry.note}</small>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p class="none">Nothing matches “{words}”.</p>}
    </dialog>
  )
}
