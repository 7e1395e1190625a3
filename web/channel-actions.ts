// What people can do about channels and their moves.
import { ofOwn, type Action } from './actions.js'
import { call } from './data/call.js'
import type { ChannelView, Page } from './data/types.js'
import { approvalEffect, unpinEffect, vetoEffect } from './effects.js'
import { capitalised } from './lib/text.js'

/** `what`: the commit and its ref, as far as they are known. */
export function vetoMove(move: string, what = `move ${move}`): Action {
  return {
    label: 'Veto',
    cli: `gitmoor channel veto ${move} --why "REASON"`,
    question: {
      title: `Veto ${what}?`,
      text: 'gitmoor does not apply this commit until the veto ends or another commit is released.',
      effect: () => vetoEffect(move),
      why: 'required',
    },
    perform: (why) => call('POST', `channels/moves/${move}/veto`, { why }),
    done: `${capitalised(what)} is vetoed.`,
  }
}

/** `what`: as above. */
export function approveMove(move: string, label: string, what = `move ${move}`): Action {
  return {
    label,
    cli: `gitmoor channel approve ${move} --why "REASON"`,
    question: {
      title: `${label}: ${what}?`,
      text: 'The policy of the channel may still refuse it.',
      effect: () => approvalEffect(move),
      why: 'required',
    },
    perform: (why) => call('POST', `channels/moves/${move}/approve`, { why }),
    done: `${capitalised(what)} is released.`,
  }
}

/** How texts and command lines name a channel. */
interface ChannelWords {
  readonly label: string
  readonly word: string
}

export function pinChannel(channel: string, words: ChannelWords): Action {
  const { label: ref, word } = words
  return {
    label: 'Pin',
    cli: `gitmoor channel pin ${word} --why "REASON"`,
    question: {
      title: `Pin ${ref}?`,
      text: 'Stacks that follow it stay at the released commit. Moves are recorded, but not followed.',
      why: 'required',
    },
    perform: (why) => call('POST', 'channels/pin', { channel, why }),
    done: `${ref} is pinned.`,
    undo: (why) => ofOwn(why, unpinChannel(channel, words), () => readPin(channel)),
  }
}

export function unpinChannel(channel: string, { label: ref, word }: ChannelWords): Action {
  return {
    label: 'Unpin',
    cli: `gitmoor channel unpin ${word}`,
    question: {
      title: `Unpin ${ref}?`,
      text: 'The channel follows its ref again, as far as its policy allows.',
      effect: () => unpinEffect(channel),
      why: 'optional',
    },
    perform: (why) => call('POST', 'channels/unpin', { channel, why }),
    done: `${ref} is unpinned.`,
  }
}

async function readPin(channel: string): Promise<ChannelView['pin']> {
  const { items } = await call<Page<ChannelView>>('GET', 'channels?limit=500')
  return items.find(({ name }) => name === channel)?.pin ?? null
}
