// One stream of events for all tabs of a browser: browsers allow six connections to a host. The tab that holds a lock
// reads the stream and passes changes on. A tab that is hidden for a minute stops. The stream names the stacks that the
// tabs show first, however many change at once.
import { computed, signal } from '@preact/signals'
import type { DigestView, HeartbeatView } from '../../src/views/event.js'
import type { SignInView } from '../../src/views/session.js'
import { abandonReads, answeredAt, call, isSessionEnded } from './call.js'
import { noteShown, shownNames, type ShownStacks } from './shown.js'

/** What changed in the last quarter of a second. `reset`: anything may have. */
export interface Changes {
  readonly reset: boolean
  /** Names of stacks. */
  readonly stacks: ReadonlySet<string>
  /** Other stacks, too, that no tab shows. */
  readonly more: boolean
  readonly channels: boolean
}

export const live = signal<'live' | 'reconnecting' | 'paused'>('reconnecting')

/** The stream of events ended then, and for some seconds no other one began. */
const endedAt = signal<number | undefined>(undefined)
let heardAt = Date.now()
/** The interval of heartbeats; the first one says it. */
let heartbeatMs = 15_000

/** When the agent sent something last, if it does not answer now: milliseconds since the epoch. */
export const silentSince = computed(() =>
  endedAt.value === undefined || answeredAt.value > endedAt.value ? undefined : Math.max(heardAt, answeredAt.value),
)

interface Message {
  readonly live?: typeof live.value | undefined
  /** When the tab that reads the stream got something last. */
  readonly heardAt?: number
  /** Other connections to the agent may be lost, too. */
  readonly silent?: boolean
  /** Of the last event that is known with this message. */
  readonly id?: string
  readonly reset?: boolean
  readonly stacks?: readonly string[]
  readonly more?: boolean
  readonly channels?: boolean
  readonly shown?: ShownStacks
}

const hiddenMs = 60_000
const leastDelayMs = 1_000
const mostDelayMs = 10_000
/** A loss that is shorter is not worth a word. */
const shortLossMs = 4_000

const listeners = new Set<(changes: Changes) => void>()
const tabs = new BroadcastChannel('gitmoor-events')
let isListening = false
let release: (() => void) | undefined
let source: EventSource | undefined
let delayMs = leastDelayMs
let silenceTimer: ReturnType<typeof setTimeout> | undefined
/** All that happened until this event is known, or read later. The same in all tabs. */
let lastId: string | undefined
let hiddenTimer: ReturnType<typeof setTimeout> | undefined
let lossTimer: ReturnType<typeof setTimeout> | undefined

/** Returns a function that ends it. */
export function onEvents(listener: (changes: Changes) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const tab = crypto.getRandomValues(new Uint32Array(2)).join('-')
const askAgainMs = 500
let askTimer: ReturnType<typeof setTimeout> | undefined
let askedNames = ''

/** The stacks that this tab shows, at most 100: digests name their changes first. */
export function showStacks(names: readonly string[]): void {
  share({ shown: { tab, names: names.slice(0, 100) } })
}

/** Reads the stream anew for other names, once they stop to change. */
function askForShown(): void {
  clearTimeout(askTimer)
  askTimer = setTimeout(() => {
    if (source !== undefined && live.value === 'live' && shownNames() !== askedNames) connect()
  }, askAgainMs)
}

/** As after missed events: all that is shown is read again. */
export function readAll(): void {
  take({ ...(lastId !== undefined && { id: lastId }), reset: true })
}

/** Begins to listen, after sign-in. `after`: the id of an event before anything was read. */
export function listen(after: string | undefined): void {
  if (isListening) return
  isListening = true
  lastId = after
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => take(data))
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiddenTimer)
    if (document.hidden) hiddenTimer = setTimeout(pause, hiddenMs)
    else if (live.value === 'paused') follow()
  })
  addEventListener('pagehide', () => send({ shown: { tab, names: [] } }))
  follow()
}

/** Waits for its turn to read the stream. Without locks (an address that is not secure), each tab reads its own. */
function follow(): void {
  setLive('reconnecting')
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
  setLive('paused')
  clearTimeout(silenceTimer)
  source?.close()
  source = undefined
  release?.()
}

function setLive(to: typeof live.value): void {
  const isLost = to === 'reconnecting'
  if (isLost && live.value === to && lossTimer !== undefined) return
  live.value = to
  clearTimeout(lossTimer)
  const at = Date.now()
  if (!isLost) return void (endedAt.value = undefined)
  lossTimer = setTimeout(() => {
    endedAt.value = at
    void checkSession()
  }, shortLossMs)
}

/** The agent may answer, but refuse the stream: the session ended. */
async function checkSession(): Promise<void> {
  try {
    const { session } = await call<SignInView>('GET', 'session')
    if (session === null) isSessionEnded.value = true
  } catch {
    // It does not answer.
  }
}

function connect(): void {
  source?.close()
  askedNames = shownNames()
  const after = lastId === undefined ? '' : `&after=${encodeURIComponent(lastId)}`
  const names = askedNames === '' ? '' : `&names=${encodeURIComponent(askedNames)}`
  const stream = new EventSource(`/api/v1/events?shape=digest${after}${names}`)
  source = stream
  for (const type of ['digest', 'reset'])
    stream.addEventListener(type, (event) => receive(event as MessageEvent<string>))
  stream.addEventListener('heartbeat', ({ data }: MessageEvent<string>) => {
    heardAt = Date.now()
    heartbeatMs = (JSON.parse(data) as HeartbeatView).intervalMs
    expectHeartbeat(stream)
  })
  stream.addEventListener('open', () => {
    heardAt = Date.now()
    delayMs = leastDelayMs
    share({ live: 'live' })
    askForShown() // a tab may have shown others while it was not open
  })
  stream.addEventListener('error', () => lose(stream))
  expectHeartbeat(stream)
}

/** Without one for so long, the connection is lost, although nobody closed it. */
function expectHeartbeat(stream: EventSource): void {
  clearTimeout(silenceTimer)
  silenceTimer = setTimeout(() => {
    share({ silent: true })
    lose(stream)
  }, 2.5 * heartbeatMs)
}

function lose(stream: EventSource): void {
  stream.close()
  if (source !== stream) return
  clearTimeout(silenceTimer)
  share({ live: 'reconnecting', heardAt })
  setTimeout(() => source === stream && connect(), delayMs * (0.75 + Math.random() / 2))
  delayMs = Math.min(delayMs * 2, mostDelayMs)
}

function receive({ data, lastEventId }: MessageEvent<string>): void {
  const { type, changed, more, channels } = JSON.parse(data) as DigestView
  if (type === 'reset') return share({ id: lastEventId, reset: true })
  const stacks = changed.map(({ name }) => name)
  share({ id: lastEventId, stacks, more: more > 0, channels: channels.length > 0 })
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
  if (message.shown !== undefined) {
    noteShown(message.shown)
    return askForShown()
  }
  if (message.live === undefined && Object.keys(message).includes('live')) {
    // A new tab asks.
    if (source !== undefined) send({ live: live.value })
    return send({ shown: { tab, names: shownNames(tab).split(',').filter(Boolean) } })
  }
  if (message.live !== undefined) {
    heardAt = message.heardAt ?? heardAt
    if (live.value !== 'paused') setLive(message.live)
    return
  }
  if (message.silent === true) return abandonReads()
  const { id, reset = false, stacks = [], more = false, channels = false } = message
  lastId = id
  // The first digest of a stream is empty if nothing was missed.
  if (!reset && stacks.length === 0 && !more && !channels) return
  const changes = { reset, stacks: new Set(stacks), more, channels: channels || reset }
  for (const listener of listeners) listener(changes)
}
