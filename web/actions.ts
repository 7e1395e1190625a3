// What people can do: the text of the button, the command line that does the same, and the request.
import { signal } from '@preact/signals'
import { call, CallError, signIn } from './data/call.js'
import { replaceRead } from './data/read.js'
import { stackUrl } from './data/stack-url.js'
import type { StackView } from './data/types.js'
import type { Effect } from './effects.js'
import { counted, shellWord } from './lib/text.js'

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
  /** `why`: the reason that it was given. */
  readonly undo?: (why: string) => Action
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
    message.value = { text: action.done, undo: action.undo?.(why) }
  } finally {
    busy.value = new Set([...busy.value].filter((cli) => cli !== action.cli))
  }
}

interface Decided {
  readonly by: string
  readonly why: string
}

/** Undoes a decision of this person only while no other one has taken its place. `read`: the present one. */
export function ofOwn(why: string, undo: Action, read: () => Promise<Decided | null>): Action {
  const perform = async (reason: string): Promise<unknown> => {
    const found = await read()
    if (found?.by === signIn.value?.session?.name && found?.why === why) return undo.perform(reason)
    const meanwhile = found === null ? 'it ended meanwhile' : `${found.by} decided otherwise meanwhile`
    throw new Error(`Nothing is undone: ${meanwhile}.`)
  }
  return { ...undo, perform }
}

const readStack = (name: string): Promise<StackView> => call('GET', stackUrl(name))

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

/** Less than a request may take. */
const mostCheckMs = 15_000

/** Reads the target; corrects what differs only if the stack does so by itself. */
export function checkDrift(name: string): Action {
  return {
    label: 'Check now',
    cli: `gitmoor wait ${name}`,
    perform: () => stackPost(name, 'wait', { timeoutMs: mostCheckMs }),
    done: `${name} was checked.`,
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
    undo: (why) => ofOwn(why, resumeStack(name), async () => (await readStack(name)).suspended),
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
    undo: () => ({
      label: 'Correct drift',
      cli: cli('correct'),
      perform: patch('correct'),
      done: `${name} corrects drift.`,
    }),
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
    undo: () => ({
      label: 'Undo',
      cli: `gitmoor stack set ${name} -f FILE`,
      perform: () => patchStack(name, { ignore }),
      done: `${name} manages ${path} again.`,
    }),
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
      text: `gitmoor applies the files of run ${run} again, and stays there until a revision changes the package.`,
      effect: async () => (await import('./effects.js')).rollBackEffect(name, run), // not in the first script
      why: 'optional',
    },
    perform: (why) => stackPost(name, 'rollback', { run, why }),
    done: `${name} rolls back to run ${run}.`,
    undo: (why) => ofOwn(why, unpinStack(name), async () => (await readStack(name)).pinned),
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

export { CallError }
