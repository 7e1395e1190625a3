import { printable } from '../../lib/printable.js'
import type { DeliveryView, WebhookTestView, WebhookView } from '../../views/webhook.js'
import { age, shortRevision, showTime } from './short-forms.js'
import type { Display } from './text.js'
import { table } from './table.js'

export function webhookLines(webhooks: readonly WebhookView[], look: Display): readonly string[] {
  if (webhooks.length === 0) return ['No webhooks: they are declared under "webhooks" in the configuration file.']
  const rows = webhooks.map(({ name, provider, path, last, proven, refused }) => [
    printable(name),
    printable(provider),
    printable(path),
    last === null ? 'never' : `${age(last.at, look.now)}, ${resultText(last)}`,
    String(proven.length),
    String(refused),
  ])
  return table(['WEBHOOK', 'PROVIDER', 'ADDRESS', 'LAST DELIVERY', 'PROVEN', 'REFUSED'], rows, look.style)
}

export function deliveryListLines(deliveries: readonly DeliveryView[], look: Display): readonly string[] {
  if (deliveries.length === 0) return ['Nothing was delivered yet.']
  const rows = deliveries.map((one) => [
    printable(one.id),
    showTime(one.at),
    printable(one.hook),
    printable(one.event === '' ? '-' : one.event),
    one.changes.map(changeText).join(' ') || '-',
    resultText(one),
    one.runs.map(({ stack, run }) => `${printable(stack)}/${printable(run)}`).join(' ') || '-',
    printable(one.message),
  ])
  return table(['DELIVERY', 'AT', 'WEBHOOK', 'EVENT', 'TOLD', 'RESULT', 'RUNS', 'BECAUSE'], rows, look.style)
}

export function deliveryLines({ id, remotes, message, runs, result }: DeliveryView): readonly string[] {
  const about = remotes.length === 0 ? '' : ` about ${remotes.map(printable).join(', ')}`
  return [
    `Delivery ${printable(id)}${about}: ${printable(result ?? 'looking')}. ${printable(message)}`,
    ...runs.map(
      ({ stack, run, outcome }) =>
        `Run ${printable(run)} of ${printable(stack)}: ${printable(outcome ?? 'under way')}.`,
    ),
  ]
}

export function webhookTestLines({ webhook, sent, delivery }: WebhookTestView): readonly string[] {
  const { url, secret, events } = providerFields[webhook.provider] ?? providerFields['generic']!
  return [
    `Sent as ${printable(webhook.provider)} would: ${printable(sent.ref)} of ${printable(sent.repository)} is at ${shortRevision(sent.commit)}.`,
    ...deliveryLines(delivery),
    '',
    'What the sender needs:',
    `  ${url}: https://YOUR-NAME${printable(webhook.path)}, where YOUR-NAME leads to this agent and is in \`hosts\` of the configuration file`,
    '  Content type: application/json',
    `  ${secret}: the one that "webhooks.${printable(webhook.name)}.secret" stands for`,
    `  Events: ${events}`,
  ]
}

/** What the fields are called where a webhook is made. */
const providerFields: Readonly<
  Record<string, { readonly url: string; readonly secret: string; readonly events: string }>
> = {
  github: { url: 'Payload URL', secret: 'Secret', events: 'just the push event' },
  gitlab: { url: 'URL', secret: 'Signing token, or Secret token', events: 'Push events, Tag push events' },
  gitea: { url: 'Target URL', secret: 'Secret', events: 'Push events' },
  forgejo: { url: 'Target URL', secret: 'Secret', events: 'Push events' },
  gogs: { url: 'Payload URL', secret: 'Secret', events: 'just the push event' },
  bitbucket: { url: 'URL', secret: 'Secret', events: 'Repository push' },
  generic: { url: 'Address', secret: 'Key of HMAC-SHA256 over the body, in hex digits', events: 'what is pushed' },
}

function changeText({ ref, commit }: DeliveryView['changes'][number]): string {
  const name = ref === undefined ? 'something' : printable(ref.replace(/^refs\/(?:heads|tags)\//, ''))
  if (commit === undefined) return name
  return commit === null ? `${name} gone` : `${name}@${shortRevision(commit)}`
}

function resultText({ result }: DeliveryView): string {
  return printable(result ?? 'looking')
}
