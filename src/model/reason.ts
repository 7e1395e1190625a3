// The reason that a person gives for a decision: `--why`, and `why` or `reason` in requests.

export const mostReasonCharacters = 500

/** What suggested commands have in place of the reason. */
const placeholders: readonly string[] = ['TEXT', 'REASON']

/** Why a text is no reason; undefined: it is one. An empty text is no problem: not every decision needs a reason. */
export function reasonProblem(text: string): string | undefined {
  if (text.length > mostReasonCharacters) return `must have at most ${mostReasonCharacters} characters.`
  if (/\p{Cc}/u.test(text)) return 'must be one line without control characters.'
  if (placeholders.includes(text)) return `must be a reason, not the placeholder ${text}.`
  return undefined
}
