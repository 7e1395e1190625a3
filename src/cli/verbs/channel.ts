import { Option, type Command } from 'commander'
import type { ChannelView, DecisionView, MoveView } from '../../views/channel.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import { changedChannelLines, channelLines, decidedMoveLines, decisionLines, moveLines } from '../text/channel-text.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { addPromoteVerb } from './promote.js'
import { limitOption, overrideBody, overrideOption, type OverrideOptions } from './shared-options.js'

const channelNote = 'CHANNEL: REMOTE#REF, or only REF if it is unique.'

/** channel list, log, pin, unpin, veto, approve, promote. */
export function addChannelVerbs(program: Command, declare: Declare): void {
  const channel = program.command('channel').description('list and control the refs that stacks follow')
  const list = {
    usage: 'list',
    summary: 'list channels and their released commits',
    example: 'channel list',
  }
  declare(channel, list, async (cli) => {
    const page = await readPages<ChannelView>(cli.client, '/api/v1/channels', {}, maximumListItems)
    cli.out.answer(page, (display) => channelLines(page.items, display))
    return exitCode.ok
  })
  addLogVerb(channel, declare)
  addPinVerbs(channel, declare)
  addMoveVerbs(channel, declare)
  addPromoteVerb(channel, declare)
}

function addLogVerb(channel: Command, declare: Declare): void {
  const log = {
    usage: 'log CHANNEL',
    summary: 'list the moves of a channel, newest first',
    example: 'channel log stable',
    notes: channelNote,
    options: [limitOption(), ['--decisions', 'list the decisions of people instead']],
  } as const
  declare<{ limit: number; decisions?: true }>(channel, log, async (cli, [name = ''], { limit, decisions }) => {
    if (decisions === true) {
      const page = await readPages<DecisionView>(cli.client, '/api/v1/channels/decisions', { channel: name }, limit)
      cli.out.answer(page, (display) => decisionLines(page.items, display))
      return exitCode.ok
    }
    const page = await readPages<MoveView>(cli.client, '/api/v1/channels/moves', { channel: name }, limit)
    cli.out.answer(page, (display) => moveLines(page.items, display))
    return exitCode.ok
  })
}

function addPinVerbs(channel: Command, declare: Declare): void {
  const pin = {
    usage: 'pin CHANNEL [AT]',
    summary: 'keep the stacks of a channel at their commit, or at a given one, until unpinned',
    example: 'channel pin stable 2f1c9ab --why "the release of Friday"',
    notes:
      `${channelNote}\nAT: a move from \`gitmoor channel log\`, or a commit: ` +
      '7 or more digits if the channel was at it, else all 40.',
    options: [whyOption()],
  } as const
  declare<{ why: string }>(channel, pin, async (cli, [name = '', commit = ''], options) => {
    const body = { channel: name, why: options.why, ...(commit === '' ? {} : { at: commit }) }
    const now = await cli.client.request<ChannelView>('POST', '/api/v1/channels/pin', { body })
    cli.out.answer(now, (display) => changedChannelLines(now, display))
    return exitCode.ok
  })
  const unpin = {
    usage: 'unpin CHANNEL',
    summary: 'end a pin and follow the released commit again',
    example: 'channel unpin stable',
    notes: channelNote,
    options: [['--why <TEXT>', 'the reason, shown in the history']],
  } as const
  declare<{ why?: string }>(channel, unpin, async (cli, [name = ''], options) => {
    const now = await cli.client.request<ChannelView>('POST', '/api/v1/channels/unpin', {
      body: { channel: name, ...options },
    })
    cli.out.answer(now, (display) => changedChannelLines(now, display))
    return exitCode.ok
  })
}

function addMoveVerbs(channel: Command, declare: Declare): void {
  const verbs = {
    veto: {
      summary: 'block the commit of a move, and go back to the commit released before it',
      example: 'channel veto 12 --why "the CPU chart is wrong"',
    },
    approve: {
      summary: 'release a blocked move, or end its veto',
      example: 'channel approve 12 --why "an intended rollback"',
    },
  } as const
  for (const [verb, about] of Object.entries(verbs)) {
    const notes = 'MOVE: a number from `gitmoor channel log`.'
    const options = verb === 'veto' ? [whyOption(), overrideOption] : [whyOption()]
    declare<OverrideOptions>(
      channel,
      { usage: `${verb} MOVE`, ...about, notes, options },
      async (cli, [move = ''], given) => {
        const path = `/api/v1/channels/moves/${encodeURIComponent(move)}/${verb}`
        const now = await cli.client.request<MoveView>('POST', path, {
          body: { ...overrideBody(given), why: given.why },
        })
        cli.out.answer(now, (display) => decidedMoveLines(now, display))
        return exitCode.ok
      },
    )
  }
}

function whyOption(): Option {
  return new Option('--why <TEXT>', 'the reason, shown in the history').makeOptionMandatory()
}
