// Which webhook deliveries arrived?
import { useRead } from '../../data/read.js'
import { call } from '../../data/call.js'
import type { DeliveryView, WebhookView } from '../../data/types.js'
import { counted, tidy } from '../../lib/text.js'
import { ActionButton } from '../../parts/actions.js'
import { Clis, Empty, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Loaded, Section } from '../../parts/section.js'
import type { Page } from '../../data/types.js'

const states: Readonly<Record<string, string>> = {
  moved: 'synced',
  known: 'synced',
  failed: 'failed',
  error: 'failed',
  refused: 'failed',
}

export function Webhooks() {
  const hooks = useRead<Page<WebhookView>>('webhooks')
  const deliveries = useRead<Page<DeliveryView>>('deliveries?limit=100')
  const again = async (): Promise<void> => void (await Promise.all([hooks.again(), deliveries.again()]))
  return (
    <>
      <header class="top">
        <h1>Webhooks</h1>
      </header>
      <Loaded read={hooks} rows={2} what="the webhooks">
        {({ items }) => <Hooks items={items} deliveries={deliveries.data.value?.items ?? []} again={again} />}
      </Loaded>
      <Section id="deliveries" title="Deliveries" class="versions">
        <Loaded read={deliveries} what="the deliveries">
          {({ items }) => <Deliveries items={items} again={again} />}
        </Loaded>
      </Section>
      <Clis of={['gitmoor webhook list', 'gitmoor webhook log']} />
    </>
  )
}

interface HooksProps {
  readonly items: readonly WebhookView[]
  /** The newest ones, of all webhooks. */
  readonly deliveries: readonly DeliveryView[]
  readonly again: () => Promise<void>
}

function Hooks({ items, deliveries, again }: HooksProps) {
  if (items.length === 0)
    return (
      <Empty>
        No webhook is declared. gitmoor polls every source. Declare senders below <code>webhooks</code> in the
        configuration file.
      </Empty>
    )
  return (
    <ul class="runs box">
      {items.map(({ name, provider, path, last: valid, refused }) => {
        const last = valid ?? deliveries.find(({ hook }) => hook === name) ?? null
        return (
          <li key={name}>
            <span class={`dot s-${last === null ? 'unknown' : (states[last.result ?? ''] ?? 'waiting')}`}>
              <Icon name="webhooks" />
            </span>
            <div>
              <p>
                <b>{name}</b> <span class="dim">{provider}</span> <code>{path}</code>
              </p>
              <p class="dim">
                {last === null
                  ? 'No delivery yet.'
                  : `${valid === null ? 'No valid delivery yet. ' : ''}${tidy(last.message)}`}
                {refused > 0 && ` ${counted(refused, 'refused delivery', 'refused deliveries')}.`}
              </p>
            </div>
            <div class="right">
              <Time at={last?.at} />
              <ActionButton
                class="ghost mini"
                about={name}
                action={{
                  label: 'Test',
                  cli: `gitmoor webhook test ${name}`,
                  perform: () => call('POST', `webhooks/${encodeURIComponent(name)}/test`, {}).then(again),
                  done: `${name}: a test delivery was sent.`,
                }}
              />
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function Deliveries({
  items,
  again,
}: {
  readonly items: readonly DeliveryView[]
  readonly again: () => Promise<void>
}) {
  if (items.length === 0) return <Empty>No delivery arrived yet.</Empty>
  return (
    <ul class="runs box">
      {items.map(({ id, hook, event, message, result, at, runs }) => {
        const state = states[result ?? ''] ?? 'waiting'
        return (
          <li key={id}>
            <span class={`dot s-${state}`}>
              <Icon name={state} title={result ?? 'in progress'} />
            </span>
            <div>
              <p>
                <b>{hook}</b> {event} {runs.length > 0 && <span class="dim">{counted(runs.length, 'run')}</span>}
              </p>
              <p class="dim">{tidy(message)}</p>
            </div>
            <div class="right">
              <Time at={at} />
              <ActionButton
                class="ghost mini"
                about={`delivery ${id}`}
                action={{
                  label: 'Redeliver',
                  cli: `gitmoor webhook redeliver ${id}`,
                  perform: () => call('POST', `deliveries/${id}/redeliver`, {}).then(again),
                  done: `Delivery ${id} was received again.`,
                }}
              />
            </div>
          </li>
        )
      })}
    </ul>
  )
}
