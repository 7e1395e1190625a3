import type { Command } from 'commander'
import type { DeliveryView, WebhookTestView, WebhookView } from '../../views/webhook.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import { exitCode, exitCodeOfDelivery } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { limitOption } from './shared-options.js'
import { deliveryLines, deliveryListLines, webhookLines, webhookTestLines } from '../text/webhook-text.js'

/** webhook list, log, redeliver, test. */
export function addWebhookVerbs(program: Command, declare: Declare): void {
  const webhook = program.command('webhook').description('list webhooks and their deliveries')
  const list = {
    usage: 'list',
    summary: 'list webhooks and their addresses',
    example: 'webhook list',
  }
  declare(webhook, list, async (cli) => {
    const page = await readPages<WebhookView>(cli.client, '/api/v1/webhooks', {}, maximumListItems)
    cli.out.answer(page, (display) => webhookLines(page.items, display))
    return exitCode.ok
  })
  const log = {
    usage: 'log [HOOK]',
    summary: 'list deliveries and their results, newest first',
    example: 'webhook log github',
    options: [limitOption()],
  } as const
  declare<{ limit: number }>(webhook, log, async (cli, [hook = ''], { limit }) => {
    const page = await readPages<DeliveryView>(
      cli.client,
      '/api/v1/deliveries',
      hook === '' ? {} : { webhook: hook },
      limit,
    )
    cli.out.answer(page, (display) => deliveryListLines(page.items, display))
    return exitCode.ok
  })
  const redeliver = {
    usage: 'redeliver DELIVERY',
    summary: 'process a delivery again',
    example: 'webhook redeliver 42',
    notes: 'DELIVERY: a number from `gitmoor webhook log`.',
  }
  declare(webhook, redeliver, async (cli, [id = '']) => {
    const delivery = await cli.client.request<DeliveryView>(
      'POST',
      `/api/v1/deliveries/${encodeURIComponent(id)}/redeliver`,
    )
    cli.out.answer(delivery, () => deliveryLines(delivery))
    return exitCodeOfDelivery(delivery)
  })
  addTest(webhook, declare)
}

function addTest(webhook: Command, declare: Declare): void {
  const test = {
    usage: 'test HOOK',
    summary: 'send a test delivery, and show the settings of the sender',
    example: 'webhook test github --ref stable',
    notes: 'The test delivery reports the known commit, so it applies nothing.',
    options: [['--ref <REF>', 'branch or tag to report (default: one that a stack follows)']],
  } as const
  declare<{ ref?: string }>(webhook, test, async (cli, [hook = ''], { ref }) => {
    const body = ref === undefined ? {} : { ref }
    const tested = await cli.client.request<WebhookTestView>(
      'POST',
      `/api/v1/webhooks/${encodeURIComponent(hook)}/test`,
      {
        body,
      },
    )
    cli.out.answer(tested, () => webhookTestLines(tested))
    return exitCodeOfDelivery(tested.delivery)
  })
}
