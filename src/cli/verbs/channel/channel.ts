import { Argument, type Command } from 'commander'
import type {
  ApprovalPreview,
  ChannelView,
  DecidedChannelView,
  DecidedMoveView,
  DecisionView,
  MoveView,
  PinPreview,
  UnpinPreview,
  VetoPreview,
} from '../../../views/channel.js'
import { shellWord } from '../../../lib/text/shell-word.js'
import { maximumListItems, readPages } from '../../client/all-pages.js'
import {
  approvalQuestion,
  changedChannelLines,
  channelLines,
  decidedMoveLines,
  decisionLines,
  moveLines,
  pinQuestion,
  unpinQuestion,
  vetoQuestion,
} from '../../text/channel-text.js'
import { followerPlanLines, unplannableNote } from '../../text/promotion-text.js'
import { confirm } from '../../confirm.js'
import { exitCode } from '../../exit-code.js'
import type { Declare, Invocation } from '../../invocation.js'
import { CheckedArgument } from '../../help.js'
import type { Display } from '../../text/text.js'
import { channelAddress, moveNote, readMove, readPlace } from './channel-move.js'
import { allowFailedOption, confirmPlans, failedPlansNote, type PlansOptions } from './confirm-plans.js'
import { finishMoves, noWaitOption } from './finish-moves.js'
import { addPromoteVerb } from './promote.js'
import {
  limitOption,
  overrideBody,
  overrideOption,
  requiredWhyOption,
  whyOption,
  yesOption,
  type OverrideOptions,
} from '../shared-options.js'

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
  declare<{ limit: number; decisions?: true }>(channel, log, async (cli, [given = ''], { limit, decisions }) => {
    const name = await channelAddress(given, cli.cwd)
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
      `${channelNote}\nAT: a move (NUMBER, \`latest\` or CHANNEL@MOVE), or a commit. ` +
      '7 digits suffice if the commit is in `channel log`; otherwise give all 40.\n' +
      failedPlansNote('pin'),
    options: [requiredWhyOption(), yesOption, allowFailedOption('pin'), noWaitOption],
  } as const
  type PinOptions = PlansOptions & { why: string; wait: boolean }
  declare<PinOptions>(channel, pin, async (cli, [given = '', place = ''], { why, wait, ...options }) => {
    const name = await channelAddress(given, cli.cwd)
    const at = await readPlace(cli, name, place)
    if (at !== '' && !skipsPlans(options)) await confirmPin(cli, { channel: name, at }, options)
    const body = { channel: name, why, ...(at === '' ? {} : { at }) }
    const now = await cli.client.request<DecidedChannelView>('POST', '/api/v1/channels/pin', { body })
    return finishMoves(cli, now, (display) => changedChannelLines(now, display), wait)
  })
  const unpin = {
    usage: 'unpin CHANNEL',
    summary: 'end a pin and follow the released commit again',
    example: 'channel unpin stable',
    notes: channelNote,
    options: [whyOption, yesOption, noWaitOption],
  }
  type UnpinOptions = PlansOptions & { why?: string; wait: boolean }
  declare<UnpinOptions>(channel, unpin, async (cli, [given = ''], { wait, yes, ...options }) => {
    const name = await channelAddress(given, cli.cwd)
    if (yes !== true) await confirmUnpin(cli, name)
    const body = { channel: name, ...options }
    const now = await cli.client.request<DecidedChannelView>('POST', '/api/v1/channels/unpin', { body })
    return finishMoves(cli, now, (display) => changedChannelLines(now, display), wait)
  })
}

function addMoveVerbs(channel: Command, declare: Declare): void {
  const verbs = {
    veto: {
      summary: 'block the commit of a move, and go back to the commit released before it',
      example: 'channel veto stable latest --why "the CPU chart is wrong"',
    },
    approve: {
      summary: 'release a blocked move, or end its veto',
      example: 'channel approve stable latest --why "an intended rollback"',
    },
  } as const
  for (const [verb, about] of Object.entries(verbs)) {
    const own = verb === 'veto' ? overrideOption : allowFailedOption('approve')
    const options = [requiredWhyOption(), yesOption, own, noWaitOption]
    const notes = verb === 'veto' ? moveNote : `${moveNote}\n${failedPlansNote('approve')}`
    const channelAndMove = [new Argument('<CHANNEL>'), new CheckedArgument('MOVE')]
    const declared = { usage: `${verb} CHANNEL MOVE`, arguments: channelAndMove, ...about, notes, options }
    declare<OverrideOptions & PlansOptions & { wait: boolean }>(
      channel,
      declared,
      async (cli, [name = '', which = ''], { wait, ...given }) => {
        const override = given.overrideWindow === true ? ' --override-window' : ''
        const options = `--why ${shellWord(given.why ?? '')}${override}`
        const move = await readMove(cli, [name, which], (words) => `gitmoor channel ${verb} ${words} ${options}`)
        await (verb === 'veto' ? confirmVeto : confirmApproval)(cli, move, given)
        const now = await cli.client.request<DecidedMoveView>('POST', `/api/v1/channels/moves/${move}/${verb}`, {
          body: { ...overrideBody(given), why: given.why },
        })
        return finishMoves(cli, now, (display) => decidedMoveLines(now, display), wait)
      },
    )
  }
}

/** True if the plans neither stop the command nor are part of a question: an urgent pin does not wait for them. */
function skipsPlans({ yes, allowFailedPlans }: PlansOptions): boolean {
  return yes === true && allowFailedPlans === true
}

/** Shows the plans of the stacks, which may go back. Without a place they stay where they are, so nobody is asked. */
async function confirmPin(
  cli: Invocation,
  place: { readonly channel: string; readonly at: string },
  options: PlansOptions,
): Promise<void> {
  const query = { ...place, plans: 'true' }
  const preview = await cli.client.request<PinPreview>('GET', '/api/v1/channels/pin', { query })
  const question = pinQuestion(preview, unplannableNote(preview))
  const lines = (display: Display): readonly string[] => followerPlanLines(preview, display)
  await confirmPlans(cli, { ...preview, verb: 'pin', question, lines }, options)
}

/** Nobody is asked where no stack moves. */
async function confirmUnpin(cli: Invocation, name: string): Promise<void> {
  const preview = await cli.client.request<UnpinPreview>('GET', '/api/v1/channels/unpin', { query: { channel: name } })
  const question = unpinQuestion(preview)
  if (question !== undefined) await confirm(cli, question, {})
}

async function confirmVeto(cli: Invocation, move: string, { yes }: PlansOptions): Promise<void> {
  if (yes === true) return
  const preview = await cli.client.request<VetoPreview>('GET', `/api/v1/channels/moves/${move}/veto`)
  await confirm(cli, vetoQuestion(preview), {})
}

/** Shows the plans of the stacks at the commit of the move. */
async function confirmApproval(cli: Invocation, move: string, options: PlansOptions): Promise<void> {
  if (skipsPlans(options)) return
  const query = { plans: 'true' }
  const preview = await cli.client.request<ApprovalPreview>('GET', `/api/v1/channels/moves/${move}/approve`, { query })
  const question = approvalQuestion(preview, unplannableNote(preview))
  const shown = { ...preview, commit: preview.move.to?.commit ?? '' } // a deleted ref has no plans
  const lines = (display: Display): readonly string[] => followerPlanLines(shown, display)
  await confirmPlans(cli, { ...shown, verb: 'approve', question, lines }, options)
}
