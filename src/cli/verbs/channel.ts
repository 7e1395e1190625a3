import { Option, type Command } from 'commander'
import type { ChannelView, DecisionView, MoveView } from '../../views/channel.js'
import { readPages, maximumListItems } from '../client/all-pages.js'
import { channelLines, changedChannelLines, decisionLines, moveLines, decidedMoveLines } from '../text/channel-text.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { addPromoteVerb } from './promote.js'
import { overrideBody, overrideOption, type OverrideOptions, limitOption } from './shared-options.js'

const channelNote = 'CHANNEL: REMOTE#REF, or REF alone where it is unique.'

/** channel list, log, pin, unpin, veto, approve, promote. */
export function addChannelVerbs(program: Command, declare: Declare): void {
  const channel = program.command('channel').description('the refs that stacks follow')
  const list = {
    usage: 'list',
    summary: 'the refs that stacks follow, and what is released of them',
    example: 'channel list',
  }
  declare(channel, list, async (at) => {
    const page = await readPages<ChannelView>(at.client, '/api/v1/channels', {}, maximumListItems)
    at.out.answer(page, (look) => channelLines(page.items, look))
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
    summary: 'when a channel moved, and what became of it, newest first',
    example: 'channel log stable',
    notes: channelNote,
    options: [limitOption(), ['--decisions', 'what persons decided instead']],
  } as const
  declare<{ limit: number; decisions?: true }>(channel, log, async (at, [name = ''], { limit, decisions }) => {
    if (decisions === true) {
      const page = await readPages<DecisionView>(at.client, '/api/v1/channels/decisions', { channel: name }, limit)
      at.out.answer(page, (look) => decisionLines(page.items, look))
      return exitCode.ok
    }
    const page = await readPages<MoveView>(at.client, '/api/v1/channels/moves', { channel: name }, limit)
    at.out.answer(page, (look) => moveLines(page.items, look))
    return exitCode.ok
  })
}

function addPinVerbs(channel: Command, declare: Declare): void {
  const pin = {
    usage: 'pin CHANNEL [AT]',
    summary: 'keep all stacks that follow it where they are, or at a move or a commit, until unpinned',
    example: 'channel pin stable 2f1c9ab --why "the release of Friday"',
    notes: `${channelNote}\nAT: a move of \`gitmoor channel log\`, or a commit: 7 digits of one that it was at, else all 40.`,
    options: [whyOption()],
  } as const
  declare<{ why: string }>(channel, pin, async (at, [name = '', place = ''], options) => {
    const body = { channel: name, why: options.why, ...(place === '' ? {} : { at: place }) }
    const now = await at.client.request<ChannelView>('POST', '/api/v1/channels/pin', { body })
    at.out.answer(now, (look) => changedChannelLines(now, look))
    return exitCode.ok
  })
  const unpin = {
    usage: 'unpin CHANNEL',
    summary: 'end a pin: follow what is released again',
    example: 'channel unpin stable',
    notes: channelNote,
    options: [['--why <TEXT>', 'the reason, for the record']],
  } as const
  declare<{ why?: string }>(channel, unpin, async (at, [name = ''], options) => {
    const now = await at.client.request<ChannelView>('POST', '/api/v1/channels/unpin', {
      body: { channel: name, ...options },
    })
    at.out.answer(now, (look) => changedChannelLines(now, look))
    return exitCode.ok
  })
}

function addMoveVerbs(channel: Command, declare: Declare): void {
  const verbs = {
    veto: {
      summary: 'never apply what a move leads to while the ref leads there; go back to what was released before',
      example: 'channel veto 12 --why "the CPU chart is wrong"',
    },
    approve: {
      summary: 'release a move that waits or is held, or end its veto',
      example: 'channel approve 12 --why "a roll back"',
    },
  } as const
  for (const [verb, about] of Object.entries(verbs)) {
    const notes = 'MOVE: as `gitmoor channel log` shows it.'
    const options = verb === 'veto' ? [whyOption(), overrideOption] : [whyOption()]
    declare<OverrideOptions>(
      channel,
      { usage: `${verb} MOVE`, ...about, notes, options },
      async (at, [move = ''], given) => {
        const path = `/api/v1/channels/moves/${encodeURIComponent(move)}/${verb}`
        const now = await at.client.request<MoveView>('POST', path, {
          body: { ...overrideBody(given), why: given.why },
        })
        at.out.answer(now, (look) => decidedMoveLines(now, look))
        return exitCode.ok
      },
    )
  }
}

function whyOption(): Option {
  return new Option('--why <TEXT>', 'the reason, for the record').makeOptionMandatory()
}
