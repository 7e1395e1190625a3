// What people can do: the text of the button, the command line that does the same, and the request.
import { signal } from '@preact/signals'
import { call, CallError } from './data/call.js'
import { replaceRead } from './data/read.js'
import { stackUrl } from './data/stack-url.js'
import type { StackView } from './data/types.js'
import { approvalEffect, rollBackEffect, unpinEffect, vetoEffect, type Effect } from './effects.js'
import { capitalised, channelText, counted, shellWord } from './lib/text.js'

export interface Question {
  readonly title: string
  readonly text: string
  /** What it would do, read when the question is shown. Errors: `CallError`, also if it would be refused. */
  readonly effect?: () => Promise<Effect>
  /** Whether a reason is asked for. */
  readonly why?: 'required' | 'optional'
  /** Something is lost that gitmoor cannot bring back. */
  readonly isDangerous?: boolean
}

export interface Action {
  readonly label: string
  readonly cli: string
  /** Asked before; absent: it runs at once. */
  readonly question?: Question
  /** What it does, if it has no question: keys ask before it. */
  readonly effect?: string
  readonly perform: (why: string) => Promise<unknown>
  /** What the page says afterwards. */
  readonly done: string
  readonly undo?: Action
}

/** A question that waits for an answer. */
export const asked = signal<Action | undefined>(undefined)

/** A message about the last action. */
export const message = signal<{ readonly text: string; readonly undo?: Action | undefined } | undefined>(undefined)

/** Actions whose request is in progress, by their command lines. */
export const busy = signal<ReadonlySet<string>>(new Set())

/** Asks its question, if it has one, else performs it. */
export function start(action: Action): void {
  if (action.question !== undefined) asked.value = action
  else performAtOnce(action, '')
}

/** Performs it without a question, and says so if it fails. */
export function performAtOnce(action: Action, why: string): void {
  void perform(action, why).catch((error: Error) => (message.value = { text: error.message }))
}

/** Errors: `CallError`. */
export async function perform(action: Action, why: string): Promise<void> {
  busy.value = new Set([...busy.value, action.cli])
  try {
    await action.perform(why)
    message.value = { text: action.done, undo: action.undo }
  } finally {
    busy.value = new Set([...busy.value].filter((cli) => cli !== action.cli))
  }
}

const stackPost = (name: string, verb: string, body: object = {}): Promise<unknown> =>
  call('POST', `stacks/${encodeURIComponent(name)}/${verb}`, body)

export function syncStack(name: string): Action {
  return {
    label: 'Sync',
    cli: `gitmoor sync ${name}`,
    effect: 'gitmoor polls its sources and applies the changes.',
    perform: () => stackPost(name, 'sync'),
    done: `${name}: sync requested.`,
  }
}

export function suspendStack(name: string): Action {
  return {
    label: 'Suspend',
    cli: `gitmoor suspend ${name} --why "REASON"`,
    question: {
      title: `Suspend ${name}?`,
      text: 'gitmoor writes nothing to its target until you resume it, not even corrections of drift.',
      why: 'required',
    },
    perform: (why) => stackPost(name, 'suspend', { why }),
    done: `${name} is suspended.`,
    undo: resumeStack(name),
  }
}

export function resumeStack(name: string): Action {
  return {
    label: 'Resume',
    cli: `gitmoor resume ${name}`,
    effect: 'gitmoor applies what changed while it was suspended.',
    perform: () => stackPost(name, 'resume'),
    done: `${name} is resumed.`,
  }
}

/** Changes settings, and shows the stack of the answer. */
async function patchStack(name: string, body: object): Promise<void> {
  const { stack } = await call<{ readonly stack: StackView }>('PATCH', stackUrl(name), body)
  replaceRead(stackUrl(name), stack)
}

export function keepDrift(name: string): Action {
  const patch = (drift: string) => (): Promise<void> => patchStack(name, { drift })
  const cli = (drift: string): string => `gitmoor stack set ${name} --drift ${drift}`
  return {
    label: 'Leave as is',
    cli: cli('report'),
    question: {
      title: `Leave the drift of ${name} as it is?`,
      text: 'From now on, gitmoor only reports drift of this stack. The next run still corrects it.',
    },
    perform: patch('report'),
    done: `${name} only reports drift.`,
    undo: { label: 'Correct drift', cli: cli('correct'), perform: patch('correct'), done: `${name} corrects drift.` },
  }
}

/** `others`: how many other fields and resources differ, too; `ignore`: the fields that are ignored already. */
export function ignoreField(
  name: string,
  { family, path }: IgnoredField,
  others: number,
  ignore: readonly IgnoredField[],
): Action {
  const also =
    others === 0 ? '' : ` The run of this setting corrects what else differs: ${counted(others, 'difference')}.`
  return {
    label: 'Leave to others',
    cli: `gitmoor stack set ${name} --ignore ${shellWord(`${family}:${path}`)}`,
    question: {
      title: `Leave ${path} to others?`,
      text: `gitmoor no longer plans or corrects this field of any ${family} of ${name}.${also}`,
    },
    perform: () => patchStack(name, { addIgnore: [{ family, path }] }),
    done: `${name} ignores ${path}.`,
    undo: {
      label: 'Undo',
      cli: `gitmoor stack set ${name} -f FILE`,
      perform: () => patchStack(name, { ignore }),
      done: `${name} manages ${path} again.`,
    },
  }
}

interface IgnoredField {
  readonly family: string
  readonly path: string
}

export function unpinStack(name: string): Action {
  return {
    label: 'End the rollback',
    cli: `gitmoor unpin ${name}`,
    question: { title: `End the rollback of ${name}?`, text: 'It syncs to the newest released revision again.' },
    perform: () => stackPost(name, 'unpin'),
    done: `${name} follows its ref again.`,
  }
}

export function cancelRun(name: string): Action {
  return {
    label: 'Cancel the run',
    cli: `gitmoor cancel ${name}`,
    question: { title: `Cancel the run of ${name}?`, text: 'What a run in progress has applied stays.' },
    perform: () => stackPost(name, 'cancel'),
    done: `The run of ${name} is cancelled.`,
  }
}

export function rollBackStack(name: string, run: string, commit: string): Action {
  return {
    label: 'Roll back',
    cli: `gitmoor rollback ${name} ${run}`,
    question: {
      title: `Roll ${name} back to ${commit}?`,
      text: `gitmoor applies the files of run ${run} again and keeps the stack there until you end the rollback.`,
      effect: () => rollBackEffect(name, run),
      why: 'optional',
    },
    perform: (why) => stackPost(name, 'rollback', { run, why }),
    done: `${name} rolls back to run ${run}.`,
    undo: unpinStack(name),
  }
}

/** `digest`: of the plan that the person read. */
export function approvePlan(name: string, digest: string): Action {
  return {
    label: 'Approve',
    cli: `gitmoor approve ${name} ${digest.slice(0, 12)}`,
    perform: () => stackPost(name, 'approve', { digest }),
    done: `${name}: the plan is approved.`,
  }
}

/** Applies a plan that no run has: a preview. */
export function applyPlan(name: string, revision: string, digest: string): Action {
  return {
    label: 'Apply',
    cli: `gitmoor apply ${name}`,
    perform: () => stackPost(name, 'apply', { revision, digest }),
    done: `${name}: the plan is applied.`,
  }
}

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

export function pinChannel(channel: string, words: ChannelWords, followers: number): Action {
  const { label: ref, word } = words
  return {
    label: 'Pin',
    cli: `gitmoor channel pin ${word} --why "REASON"`,
    question: {
      title: `Pin ${ref}?`,
      text: `Its ${followers} stacks stay at the released commit. Moves are recorded, but not followed.`,
      why: 'required',
    },
    perform: (why) => call('POST', 'channels/pin', { channel, why }),
    done: `${ref} is pinned.`,
    undo: unpinChannel(channel, words),
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

/** The action of a next step of the API; undefined: the page shows only its command line. */
export function actionOf(verb: string, args: Readonly<Record<string, string>>): Action | undefined {
  const { stack = '', move = '', channel = '' } = args
  const actions: Readonly<Record<string, () => Action>> = {
    sync: () => syncStack(stack),
    resume: () => resumeStack(stack),
    unpin: () => unpinStack(stack),
    cancel: () => cancelRun(stack),
    'channel veto': () => vetoMove(move),
    'channel approve': () => approveMove(move, 'Release now'),
    'channel unpin': () => unpinChannel(channel, { label: channelText(channel), word: shellWord(channel) }),
  }
  return actions[verb]?.()
}

export { CallError }
