import { printable } from '../../lib/text/printable.js'
import type { DeliveryView, WebhookTestView, WebhookView } from '../../views/webhook.js'
import { age, numberOf, shortRevision } from './short-forms.js'
import { table, type TableColumn } from './table.js'
import type { Display } from './text.js'

export function webhookLines(webhooks: readonly WebhookView[], display: Display): readonly string[] {
  if (webhooks.length === 0) return ['No webhooks. Declare them under "webhooks" in the configuration file.']
  const rows = webhooks.map(({ name, provider, path, last, proven, refused }) => [
    printable(name),
    printable(provider),
    printable(path),
    last === null ? 'never' : `${age(last.at, display.now)}, ${resultText(last)}`,
    proven.length === 0 ? '-' : numberOf(proven.length, 'remote'),
    String(refused),
  ])
  return table(['WEBHOOK', 'PROVIDER', 'ADDRESS', 'LAST DELIVERY', 'PROVEN FOR', 'REFUSED'], rows, display)
}

export function deliveryListLines(deliveries: readonly DeliveryView[], display: Display): readonly string[] {
  if (deliveries.length === 0) return ['No deliveries yet.']
  const rows = deliveries.map((one) => [
    printable(one.id),
    age(one.at, display.now),
    printable(one.hook),
    printable(one.event === '' ? '-' : one.event),
    one.changes.map(changeText).join(' ') || '-',
    resultText(one),
    one.runs.map(({ stack, run }) => `${printable(stack)}/${printable(run)}`).join(' ') || '-',
    printable(one.message),
  ])
  return table(deliveryColumns, rows, display)
}

const deliveryColumns: readonly TableColumn[] = [
  'DELIVERY',
  'WHEN',
  'WEBHOOK',
  'EVENT',
  { heading: 'REFS', fit: 'wrap' },
  'RESULT',
  { heading: 'RUNS', fit: 'wrap' },
  { heading: 'MESSAGE', fit: 'wrap' },
]

export function deliveryLines({ id, remotes, message, runs, result }: DeliveryView): readonly string[] {
  const about = remotes.length === 0 ? '' : ` about ${remotes.map(printable).join(', ')}`
  return [
    `Delivery ${printable(id)}${about}: ${printable(result ?? 'polling')}. ${printable(message)}`,
    ...runs.map(
      ({ stack, run, outcome }) =>
        `Run ${printable(run)} of ${printable(stack)}: ${printable(outcome ?? 'in progress')}.`,
    ),
  ]
}

export function webhookTestLines({ webhook, sent, delivery }: WebhookTestView): readonly string[] {
  const { repository, ref, commit } = sent
  const { url, secret, events } = providerFields[webhook.provider] ?? providerFields['generic']!
  return [
    `Sent a ${printable(webhook.provider)} delivery: ${printable(ref)} of ${printable(repository)} ` +
      `is at ${shortRevision(commit)}. \`webhook list\` does not count this test.`,
    ...deliveryLines(delivery),
    '',
    'Settings of the sender:',
    `  ${url}: https://HOST${printable(webhook.path)}`,
    '    HOST: a name of this agent that `hosts` of the configuration file lists',
    '  Content type: application/json',
    `  ${secret}: the value of "webhooks.${printable(webhook.name)}.secret"`,
    `  Events: ${events}`,
  ]
}

/** The names of the fields in the settings of each provider. */
const providerFields: Readonly<
  Record<string, { readonly url: string; readonly secret: string; readonly events: string }>
> = {
  github: { url: 'Payload URL', secret: 'Secret', events: 'just the push event' },
  gitlab: { url: 'URL', secret: 'Signing token, or Secret token', events: 'Push events, Tag push events' },
  gitea: { url: 'Target URL', secret: 'Secret', events: 'Push events' },
  forgejo: { url: 'Target URL', secret: 'Secret', events: 'Push events' },
  gogs: { url: 'Payload URL', secret: 'Secret', events: 'just the push event' },
  bitbucket: { url: 'URL', secret: 'Secret', events: 'Repository push' },
  generic: { url: 'Address', secret: 'Key of HMAC-SHA256 over the body, in hex digits', events: 'pushes' },
}

function changeText({ ref, commit }: DeliveryView['changes'][number]): string {
  const name = ref === undefined ? 'unknown ref' : printable(ref.replace(/^refs\/(?:heads|tags)\//, ''))
  if (commit === undefined) return name
  return commit === null ? `${name} deleted` : `${name}@${shortRevision(commit)}`
}

function resultText({ result }: DeliveryView): string {
  return printable(result ?? 'polling')
}
