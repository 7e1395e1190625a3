// What surrounds every view: navigation, keys, dialogs, and the view of the address.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asked, message } from './actions.js'
import { signIn } from './data/call.js'
import { live, silentSince } from './data/events.js'
import { useOverview } from './data/overview.js'
import { focusEntry } from './lib/entries.js'
import { useKeys } from './lib/keys.js'
import { address, go, query, segments } from './lib/route.js'
import { byAgent, clockText } from './lib/time.js'
import { navigation } from './navigation.js'
import { Confirm, Toast } from './parts/actions.js'
import { Empty, Skeleton } from './parts/basics.js'
import { Icon, Logo } from './parts/icon.js'
import { Link } from './parts/link.js'
import { KeyHelp } from './key-help.js'
import { titleOf } from './title.js'
import { Overview } from './views/overview.js'
import { Stacks } from './views/stacks.js'

type Load = () => Promise<ComponentType>

/** Views with a script of their own, by the pattern of their path; `*` is any part. */
const laterViews: readonly (readonly [pattern: string, load: Load])[] = [
  ['new-stack', async () => (await import('./views/create/new-stack.js')).NewStack],
  ['stacks/*', async () => (await import('./views/stack/stack.js')).Stack],
  ['stacks/*/plan', async () => (await import('./views/plan/plan.js')).Plan],
  ['stacks/*/drift', async () => (await import('./views/plan/drift.js')).Drift],
  ['stacks/*/compare', async () => (await import('./views/stack/compare.js')).Compare],
  ['stacks/*/runs/*', async () => (await import('./views/stack/run.js')).Run],
  ['stacks/*/resources/**', async () => (await import('./views/stack/resource.js')).Resource],
  ['channels', async () => (await import('./views/channels/channels.js')).Channels],
  ['channels/promote', async () => (await import('./views/channels/promote.js')).Promote],
  ['history', async () => (await import('./views/operate/history.js')).History],
  ['targets', async () => (await import('./views/operate/targets.js')).Targets],
  ['targets/*', async () => (await import('./views/operate/target.js')).Target],
  ['webhooks', async () => (await import('./views/operate/webhooks.js')).Webhooks],
  ['doctor', async () => (await import('./views/operate/doctor.js')).Doctor],
  ['settings', async () => (await import('./views/operate/settings.js')).Settings],
]

const loaded = new Map<Load, ComponentType>()

/** The page says so if a script has not arrived by then. */
const mostLoadMs = 20_000

function NotLoaded() {
  return (
    <div class="call s-failed" role="status">
      <Icon name="failed" size={18} />
      <div>
        <b>This view cannot be loaded.</b> The agent did not send its script.
      </div>
      <button type="button" class="btn" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  )
}

const isHelpOpen = signal(false)
const isPaletteOpen = signal(false)
const palette = signal<typeof import('./palette.js') | undefined>(undefined)

// What is open over a view belongs to its address.
address.subscribe(() => {
  asked.value = undefined
  isPaletteOpen.value = false
  isHelpOpen.value = false
})

/** Its script is read when it is opened first. */
async function openPalette(): Promise<void> {
  isPaletteOpen.value = true
  try {
    palette.value ??= await import('./palette.js')
  } catch {
    isPaletteOpen.value = false
    message.value = { text: 'The search cannot be loaded. Reload the page.' }
  }
}

function viewOf(parts: readonly string[]): ComponentType | Load | undefined {
  const path = parts.join('/')
  if (path === '') return Overview
  if (path === 'stacks') return Stacks
  return laterViews.find(([pattern]) => matches(pattern.split('/'), parts))?.[1]
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '**'
  if (isOpen ? parts.length < pattern.length : parts.length !== pattern.length) return false
  return pattern.every((one, at) => one === '*' || one === '**' || one === parts[at])
}

function View() {
  const parts = segments.value
  const view = viewOf(parts)
  const [failed, setFailed] = useState<Load>()
  const [, setLoaded] = useState(0)
  const isLater = laterViews.some(([, load]) => load === view)
  const ready = isLater ? loaded.get(view as Load) : (view as ComponentType | undefined)
  const isLive = live.value === 'live'
  useEffect(() => {
    if (!isLater || ready !== undefined) return
    const load = view as Load
    const fail = (): void => setFailed(() => load)
    const timer = setTimeout(fail, mostLoadMs)
    const show = (script: ComponentType): void => {
      clearTimeout(timer)
      loaded.set(load, script)
      setLoaded((count) => count + 1)
    }
    load().then(show, fail)
  }, [view, isLive]) // an agent that answers again sends a script that was lost
  if (view === undefined)
    return (
      <Empty>
        No such page. <Link to="/">Overview</Link>
      </Empty>
    )
  if (ready === undefined) return failed === view ? <NotLoaded /> : <Skeleton rows={6} />
  const Shown = ready
  return <Shown key={parts.slice(0, 4).join('/')} />
}

const liveWords = { live: 'Live', reconnecting: 'Reconnecting', paused: 'Paused' }

/** On a phone: the views that its bar has no place for. */
function More({ first }: { readonly first: string }) {
  const details = useRef<HTMLDetailsElement>(null)
  const late = navigation.filter(({ isLate }) => isLate)
  const close = (): void => void (details.current!.open = false)
  const press = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape' || !details.current!.open) return
    details.current!.querySelector('summary')!.focus()
    close()
  }
  return (
    <li class="more-views">
      <details
        ref={details}
        onKeyDown={press}
        onFocusOut={({ relatedTarget }) => !details.current!.contains(relatedTarget as Node) && close()}
      >
        <summary aria-current={late.some(({ to }) => to === first) ? 'true' : undefined}>
          <Icon name="more" />
          More
        </summary>
        <ul>
          {late.map(({ to, icon, name }) => (
            <li key={to}>
              <Link to={to} aria-current={first === to ? 'page' : undefined} onClick={close}>
                <Icon name={icon} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </li>
  )
}

function Side({ attention }: { readonly attention: number }) {
  const [part = ''] = segments.value
  const first = part === 'new-stack' ? '/stacks' : `/${part}`
  const { session, version } = signIn.value ?? {}
  return (
    <nav class="side" aria-label="Main">
      <Link to="/" class="brand">
        <Logo size={24} />
        <span>gitmoor</span>
      </Link>
      <button type="button" class="find" aria-label="Search or act" onClick={() => void openPalette()}>
        <Icon name="search" />
        <span>Search or act</span>
        <kbd>/</kbd>
      </button>
      <ul>
        {navigation.map((entry) => (
          <li key={entry.to} class={entry.isLate ? 'late' : ''}>
            <Link to={entry.to} aria-current={first === entry.to ? 'page' : undefined}>
              <Icon name={entry.icon} />
              <span>{entry.name}</span>
              {entry.to === '/' && attention > 0 && (
                <b class="badge">
                  {attention}
                  <span class="hidden-text"> stacks need attention</span>
                </b>
              )}
            </Link>
          </li>
        ))}
        <More first={first} />
      </ul>
      <div class="foot">
        <span class={`live live-${live.value}`}>
          <i />
          {liveWords[live.value]}
        </span>
        <span class="dim">
          {session?.name} · {version}
        </span>
      </div>
    </nav>
  )
}

/** Says that what the page shows is old. */
function Outage() {
  const { value: since } = silentSince
  return (
    <div role="status">
      {since !== undefined && (
        <div class="call s-failed outage">
          <Icon name="failed" size={18} />
          <div>
            <b>The agent does not answer since {clockText(byAgent(since))} UTC.</b> What you see is from then.
          </div>
        </div>
      )}
    </div>
  )
}

export function Shell() {
  const Palette = palette.value?.Palette
  const attention = useOverview().data.value?.attention ?? 0
  const [goPressedAt, setGoPressedAt] = useState(0)
  const title = titleOf(segments.value, query.value.get('channel'), attention)
  useEffect(() => void (document.title = title), [title])
  const goTo = (to: string) => () => {
    if (Date.now() - goPressedAt < 1_500) go(to)
  }
  useKeys({
    ...Object.fromEntries(navigation.map(({ key, to }) => [key, goTo(to)])),
    g: () => setGoPressedAt(Date.now()),
    '/': (event) => {
      event.preventDefault()
      void openPalette()
    },
    '?': () => (isHelpOpen.value = true),
    j: () => focusEntry(1),
    k: () => focusEntry(-1),
    c: (event) => {
      const focused = (event.target as HTMLElement).closest<HTMLElement>('[data-cli]')
      if (Date.now() - goPressedAt < 1_500) go('/channels')
      else if (focused !== null) copy(focused.dataset['cli']!)
    },
  })
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.metaKey || event.ctrlKey) || event.key !== 'k') return
      event.preventDefault()
      void openPalette()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Side attention={attention} />
      <main id="main" tabIndex={-1}>
        <Outage />
        <View />
      </main>
      {isPaletteOpen.value && Palette !== undefined && <Palette close={() => (isPaletteOpen.value = false)} />}
      {isHelpOpen.value && <KeyHelp close={() => (isHelpOpen.value = false)} />}
      <Confirm />
      <Toast />
    </>
  )
}

function copy(text: string): void {
  void navigator.clipboard?.writeText(text).then(() => (message.value = { text: `Copied: ${text}` }))
}
