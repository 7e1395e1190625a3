// How requests state the reason of a decision.
import { mostReasonCharacters as maxLength, reasonProblem } from '../../model/reason.js'
import { checkedText } from '../../settings/schema/checked-text.js'

export const reason = checkedText((text) => (/\S/.test(text) ? reasonProblem(text) : 'must not be empty.')).openapi({
  minLength: 1,
  maxLength,
  description: 'Why, for the history.',
})

/** May be empty. */
export const optionalReason = checkedText(reasonProblem).openapi({ maxLength, description: 'Why, for the history.' })
