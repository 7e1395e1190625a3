// Actions that keys start: a question comes before each of them.
import { asked, type Action } from './actions.js'

/** Asks before the action, also if its button performs it at once. `name`: of its stack. */
export function ask(action: Action, name: string): void {
  const { question, label, effect = '' } = action
  asked.value = { ...action, question: question ?? { title: `${label} ${name}?`, text: effect } }
}
