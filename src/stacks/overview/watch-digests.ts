// Sends digests of events: whatever happens, a client gets at most four small messages a second.
import { isoTime } from '../../lib/text/time-text.js'
import { channelName } from '../../model/sources/channel.js'
import type { Event, NumberedEvent } from '../../model/stacks/event.js'
import { stateOf } from '../../status/status.js'
import type { DigestView } from '../../views/event.js'
import type { Context } from '../context.js'
import { selectStacks } from '../queries/select-stacks.js'
import { statusInput } from '../status/status-input.js'
import { readCounts } from './overview.js'

const intervalMs = 250

/** The most stacks of a digest whose state it has. */
const mostChanged = 100

/** Of the changed stacks and channels of a digest, as JSON. */
const mostBytes = 3_600

/** What happened since the last digest. */
interface Batch {
  id: string
  readonly stacks: Set<string>
  readonly channels: Set<string>
}

/**
 * `names`: the stacks that the client shows; they come first. `after`: the id of the last digest that the client has.
 * The first digest comes at once. The result stops.
 */
export async function watchDigests(
  context: Context,
  { names = [], after }: { readonly names?: readonly string[]; readonly after?: string },
  send: (digest: DigestView) => void,
): Promise<() => void> {
  const stopping = new AbortController()
  let batch: Batch = { id: '', stacks: new Set(), channels: new Set() }
  let isSending = false
  const sendLater = async (): Promise<void> => {
    if (isSending) return
    isSending = true
    try {
      while (batch.stacks.size + batch.channels.size > 0) {
        await context.clock.sleep(intervalMs, stopping.signal)
        const some = batch
        batch = { id: some.id, stacks: new Set(), channels: new Set() }
        const digest = await readDigest(context, some, names)
        if (!stopping.signal.aborted) send(digest)
      }
    } finally {
      isSending = false
    }
  }
  let isOpen = false
  const { id, missed, stop } = context.scheduler.events.subscribe(after, ({ id: at, event }: NumberedEvent) => {
    batch.id = at
    note(batch, event)
    if (isOpen) sendLater().catch(() => {}) // the client left, or the agent stops
  })
  if (batch.id === '') batch.id = id
  const first = batch
  batch = { id: first.id, stacks: new Set(), channels: new Set() }
  isOpen = true
  const digest = await readDigest(context, first, names)
  send(missed ? { ...digest, type: 'reset' } : digest)
  return () => {
    stopping.abort()
    stop()
  }
}

function note({ stacks, channels }: Batch, event: Event): void {
  if ('name' in event) stacks.add(event.name)
  if (event.type === 'channel.moved') channels.add(channelName(event.move))
}

async function readDigest(
  context: Context,
  { id, stacks, channels }: Batch,
  shown: readonly string[],
): Promise<DigestView> {
  const isShown = new Set(shown)
  const names = [...stacks].toSorted((a, b) => Number(isShown.has(b)) - Number(isShown.has(a))).slice(0, mostChanged)
  const { found } = await selectStacks(context, { names, limit: mostChanged })
  const states = new Map(found.map(({ stack, last }) => [stack.spec.name, stateOf(statusInput(context, stack, last))]))
  let left = mostBytes
  const fits = (value: unknown): boolean => (left -= Buffer.byteLength(JSON.stringify(value)) + 1) >= 0
  const moved = [...channels].filter(fits)
  const changed = names.map((name) => ({ name, state: states.get(name) ?? null })).filter(fits)
  return {
    id,
    type: 'digest',
    at: isoTime(context.clock.now()),
    counts: await readCounts(context),
    changed,
    more: stacks.size - changed.length,
    channels: moved,
  }
}
