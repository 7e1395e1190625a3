import type { Command } from 'commander'
import type { DeliveryView, WebhookTestView, WebhookView } from '../../views/webhook.js'
import { readPages, maximumListItems } from '../client/all-pages.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { limitOption } from './shared-options.js'
import { deliveryLines, deliveryListLines, webhookTestLines, webhookLines } from '../text/webhook-text.js'

/** webhook list, log, redeliver, test. */
export function addWebhookVerbs(program: Command, declare: Declare): void {
  const webhook = program.command('webhook').description('who may tell of changes, and what was told')
  const list = {
    usage: 'list',
    summary: 'the webhooks of the configuration file, with their addresses',
    example: 'webhook list',
  }
  declare(webhook, list, async (at) => {
    const page = await readPages<WebhookView>(at.client, '/api/v1/webhooks', {}, maximumListItems)
    at.out.answer(page, (look) => webhookLines(page.items, look))
    return exitCode.ok
  })
  const log = {
    usage: 'log [HOOK]',
    summary: 'what was delivered, newest first, and what came of it',
    example: 'webhook log github',
    options: [limitOption()],
  } as const
  declare<{ limit: number }>(webhook, log, async (at, [hook = ''], { limit }) => {
    const page = await readPages<DeliveryView>(
      at.client,
      '/api/v1/deliveries',
      hook === '' ? {} : { webhook: hook },
      limit,
    )
    at.out.answer(page, (look) => deliveryListLines(page.items, look))
    return exitCode.ok
  })
  const redeliver = {
    usage: 'redeliver DELIVERY',
    summary: 'look again at what a delivery was about',
    example: 'webhook redeliver 42',
    notes: 'DELIVERY: its number in webhook log.',
  }
  declare(webhook, redeliver, async (at, [id = '']) => {
    const delivery = await at.client.request<DeliveryView>(
      'POST',
      `/api/v1/deliveries/${encodeURIComponent(id)}/redeliver`,
    )
    at.out.answer(delivery, () => deliveryLines(delivery))
    return exitCode.ok
  })
  addTest(webhook, declare)
}

function addTest(webhook: Command, declare: Declare): void {
  const test = {
    usage: 'test HOOK',
    summary: 'make a delivery as the sender would, and say what the sender needs',
    example: 'webhook test github --ref stable',
    notes: 'The delivery tells what is known already, so that nothing is applied by it.',
    options: [['--ref <REF>', 'the branch or tag it tells of; default: one that a stack follows']],
  } as const
  declare<{ ref?: string }>(webhook, test, async (at, [hook = ''], { ref }) => {
    const body = ref === undefined ? {} : { ref }
    const tested = await at.client.request<WebhookTestView>(
      'POST',
      `/api/v1/webhooks/${encodeURIComponent(hook)}/test`,
      {
        body,
      },
    )
    at.out.answer(tested, () => webhookTestLines(tested))
    return exitCode.ok
  })
}
