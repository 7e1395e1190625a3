import { cancelRun, resumeStack, syncStack, unpinStack, type Action } from './actions.js'
import { approveMove, unpinChannel, vetoMove } from './channel-actions.js'
import { channelText, shellWord } from './lib/text.js'

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
