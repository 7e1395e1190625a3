// Search or act: `/` or Ctrl K.
import { useEffect, useState } from 'preact/hooks'
import { call } from './data/call.js'
import { useOverview } from './data/overview.js'
import { useRead } from './data/read.js'
import { concernsStack, stackUrl } from './data/stack-url.js'
import type { Page, StackResource, StackRow, StackRunRow, TargetView } from './data/types.js'
import { useModal } from './lib/modal.js'
import { segments } from './lib/route.js'
import { commitIn } from './lib/text.js'
import { commitInWords, entriesFor, nameIn, type PaletteEntry } from './palette-entries.js'
import { Icon } from './parts/icon.js'

const searchDelayMs = 120

/** The stacks that the words name, or the worst ones if they name none. */
async function searchStacks(words: string): Promise<readonly StackRow[]> {
  const name = nameIn(words)
  const find = async (query: string): Promise<readonly StackRow[]> =>
    (await call<Page<StackRow>>('GET', `stacks?limit=6&${query}`)).items
  const named = (text: string): Promise<readonly StackRow[]> => find(`name=${encodeURIComponent(text.slice(0, 63))}`)
  if (name !== '') {
    // The exact name is among many that contain it.
    const [exact, some] = await Promise.all([find(`names=${encodeURIComponent(name)}`).catch(() => []), named(name)])
    return [...exact, ...some.filter((one) => one.name !== name)]
  }
  const [some, worst] = await Promise.all([named(words), find('sort=-needs')])
  return [...some, ...worst.filter((one) => !some.some((other) => other.name === one.name))]
}

/** Among the newest runs. */
async function searchRuns(commit: string): Promise<readonly StackRunRow[]> {
  const { items } = await call<Page<StackRunRow>>('GET', 'runs?limit=100')
  return items.filter(({ revision, cause }) => (commitIn(revision) ?? cause.to)?.startsWith(commit) === true)
}

/** What the words find at the agent; what cannot be read is not found. */
function useSearch(words: string) {
  const [stacks, setStacks] = useState<readonly StackRow[]>([])
  const [runs, setRuns] = useState<readonly StackRunRow[]>([])
  useEffect(() => {
    let isOld = false
    const search = async (): Promise<void> => {
      const commit = commitInWords(words)
      const [some, ofCommit] = await Promise.all([
        words === '' ? [] : searchStacks(words).catch(() => []),
        commit === undefined ? [] : searchRuns(commit).catch(() => []),
      ])
      if (isOld) return
      setStacks(some)
      setRuns(ofCommit)
    }
    const timer = setTimeout(() => void search(), searchDelayMs)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [words])
  return { stacks, runs }
}

export function Palette({ close }: { readonly close: () => void }) {
  const dialog = useModal()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const words = typed.trim().toLowerCase()
  const [part, stack = ''] = segments.value
  const name = part === 'stacks' && stack !== '' ? stack : undefined
  const concerns = concernsStack(stack)
  const here = useRead<StackRow>(name && stackUrl(name), concerns).data.value
  const resources = useRead<Page<StackResource>>(name && stackUrl(name, '/resources?limit=200'), concerns).data.value
  const targets = useRead<Page<TargetView>>('targets?limit=500', ({ reset }) => reset).data.value
  const entries = entriesFor(words, {
    here,
    resources: resources?.items ?? [],
    channels: useOverview().data.value?.channels ?? [],
    targets: targets?.items ?? [],
    ...useSearch(words),
  })
  const pick = (entry: PaletteEntry): void => {
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
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
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
      {entries.length === 0 && <p class="none">Nothing matches “{typed}”.</p>}
    </dialog>
  )
}
