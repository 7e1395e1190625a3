// One stream of events for all tabs of a browser: browsers allow six connections to a host. The tab that holds a lock
// reads the stream and passes changes on. A tab that is hidden for a minute stops.
import { signal } from '@preact/signals'
import type { DigestView } from '../../src/views/event.js'

/** What changed in the last quarter of a second. `reset`: anything may have. */
export interface Changes {
  readonly reset: boolean
  /** Names of stacks. */
  readonly stacks: ReadonlySet<string>
  readonly channels: boolean
}

export const live = signal<'live' | 'reconnecting' | 'paused'>('reconnecting')

interface Message {
  readonly live?: typeof live.value | undefined
  readonly reset?: boolean
  readonly stacks?: readonly string[]
  readonly channels?: boolean
}

const hiddenMs = 60_000
const leastDelayMs = 1_000
const mostDelayMs = 30_000

const listeners = new Set<(changes: Changes) => void>()
const tabs = new BroadcastChannel('gitmoor-events')
let isListening = false
let release: (() => void) | undefined
let source: EventSource | undefined
let delayMs = leastDelayMs
let lastId: string | undefined
let hiddenTimer: ReturnType<typeof setTimeout> | undefined

export function onEvents(listener: (changes: Changes) => void): void {
  listeners.add(listener)
}

/** Begins to listen. Called once, after sign-in. */
export function listen(): void {
  if (isListening) return
  isListening = true
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => take(data))
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiddenTimer)
    if (document.hidden) hiddenTimer = setTimeout(pause, hiddenMs)
    else if (live.value === 'paused') follow()
  })
  follow()
}

/** Waits for its turn to read the stream. Without locks (an address that is not secure), each tab reads its own. */
function follow(): void {
  live.value = 'reconnecting'
  if (!('locks' in navigator)) return connect()
  const held = new Promise<void>((resolve) => (release = resolve))
  const abort = new AbortController()
  const giveUp = release!
  release = () => {
    abort.abort()
    giveUp()
  }
  void navigator.locks
    .request('gitmoor-events', { signal: abort.signal }, () => {
      connect()
      return held
    })
    .catch(() => {})
  send({ live: undefined })
}

function pause(): void {
  live.value = 'paused'
  source?.close()
  source = undefined
  release?.()
}

function connect(): void {
  const after = lastId === undefined ? '' : `&after=${encodeURIComponent(lastId)}`
  const stream = new EventSource(`/api/v1/events?shape=digest${after}`)
  source = stream
  for (const type of ['digest', 'reset'])
    stream.addEventListener(type, (event) => receive(event as MessageEvent<string>))
  stream.addEventListener('open', () => {
    delayMs = leastDelayMs
    share({ live: 'live' })
  })
  stream.addEventListener('error', () => {
    stream.close()
    if (source !== stream) return
    share({ live: 'reconnecting' })
    setTimeout(() => source === stream && connect(), delayMs * (0.75 + Math.random() / 2))
    delayMs = Math.min(delayMs * 2, mostDelayMs)
  })
}

function receive({ data, lastEventId }: MessageEvent<string>): void {
  const { type, changed, more, channels } = JSON.parse(data) as DigestView
  lastId = lastEventId
  if (type === 'reset' || more > 0) return share({ reset: true })
  share({ stacks: changed.map(({ name }) => name), channels: channels.length > 0 })
}

/** To the other tabs. */
function send(message: Message): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has only tabs of this origin
  tabs.postMessage(message)
}

/** To this tab and the others. */
function share(message: Message): void {
  send(message)
  take(message)
}

function take(message: Message): void {
  if (message.live === undefined && Object.keys(message).includes('live')) {
    if (source !== undefined) send({ live: live.value }) // a new tab asks
    return
  }
  if (message.live !== undefined) {
    if (live.value === 'paused') return
    const wasInterrupted = message.live === 'live' && live.value !== 'live' && lastId === undefined
    live.value = message.live
    if (wasInterrupted) announce({ reset: true, stacks: new Set(), channels: true })
    return
  }
  const { reset = false, stacks = [], channels = false } = message
  announce({ reset, stacks: new Set(stacks), channels: channels || reset })
}

function announce(changes: Changes): void {
  for (const listener of listeners) listener(changes)
}
