import type { Command } from 'commander'
import type { MessageView, ReceiverView } from '../../views/notification.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { messageLines, messageListLines, receiverLines } from '../text/notification-text.js'
import { limitOption } from './shared-options.js'

/** notification list, log, test, redeliver. */
export function addNotificationVerbs(program: Command, declare: Declare): void {
  const notification = program
    .command('notification')
    .description('list receivers of notifications and commit statuses, and their messages')
  const list = { usage: 'list', summary: 'list receivers and their last messages', example: 'notification list' }
  declare(notification, list, async (cli) => {
    const page = await readPages<ReceiverView>(cli.client, '/api/v1/receivers', {}, maximumListItems)
    cli.out.answer(page, (display) => receiverLines(page.items, display))
    return exitCode.ok
  })
  const log = {
    usage: 'log [RECEIVER]',
    summary: 'list messages and their results, newest first',
    example: 'notification log ops',
    options: [limitOption()],
  } as const
  declare<{ limit: number }>(notification, log, async (cli, [receiver = ''], { limit }) => {
    const query = receiver === '' ? {} : { receiver }
    const page = await readPages<MessageView>(cli.client, '/api/v1/messages', query, limit)
    cli.out.answer(page, (display) => messageListLines(page.items, display))
    return exitCode.ok
  })
  const test = {
    usage: 'test RECEIVER',
    summary: 'send a test message to a receiver',
    example: 'notification test ops',
    notes: 'Commit statuses have no test: sync a stack of the repository.',
  }
  declare(notification, test, async (cli, [receiver = '']) => {
    const path = `/api/v1/receivers/${encodeURIComponent(receiver)}/test`
    const message = await cli.client.request<MessageView>('POST', path)
    cli.out.answer(message, () => messageLines(message))
    return message.state === 'sent' ? exitCode.ok : exitCode.error
  })
  const redeliver = {
    usage: 'redeliver MESSAGE',
    summary: 'send a message again',
    example: 'notification redeliver 42',
    notes: 'MESSAGE: a number from `gitmoor notification log`. Receivers recognize its id.',
  }
  declare(notification, redeliver, async (cli, [id = '']) => {
    const path = `/api/v1/messages/${encodeURIComponent(id)}/redeliver`
    const message = await cli.client.request<MessageView>('POST', path)
    cli.out.answer(message, () => messageLines(message))
    return exitCode.ok
  })
}
