import type { Command } from 'commander'
import type { ChannelView, MoveView } from '../stacks/views.js'
import { askPages, everything } from './all-pages.js'
import { channelLines, moveLines } from './channel-text.js'
import { exitCode } from './exit-code.js'
import type { Declare } from './invocation.js'
import { limitOption } from './limit-option.js'

/** channel list, channel log. */
export function addChannelVerbs(program: Command, declare: Declare): void {
  const channel = program.command('channel').description('the refs that stacks follow')
  const list = { usage: 'list', summary: 'the refs that stacks follow', example: 'channel list' }
  declare(channel, list, async (at) => {
    const page = await askPages<ChannelView>(at.client, '/api/v1/channels', {}, everything)
    at.out.answer(page, (look) => channelLines(page.items, look))
    return exitCode.ok
  })
  const log = {
    usage: 'log CHANNEL',
    summary: 'when a channel moved, newest first',
    example: 'channel log stable',
    notes: 'NAME: REMOTE#REF, or REF alone where it is unique.',
    options: [limitOption()],
  } as const
  declare<{ limit: number }>(channel, log, async (at, [name = ''], { limit }) => {
    const page = await askPages<MoveView>(at.client, '/api/v1/channels/moves', { channel: name }, limit)
    at.out.answer(page, (look) => moveLines(page.items, look))
    return exitCode.ok
  })
}
