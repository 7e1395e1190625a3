// Plans as Markdown for a pull request: a table, and the changes of each stack to unfold. Takes results of plans; gives
// one document that fits into a comment of GitHub. Promises: no text of a plan ends a fence, a cell or an element,
// becomes a link, or mentions people.
import { printable } from '../../../lib/text/printable.js'
import { errorLines } from '../error-text.js'
import { approvalRules, blockedReasons, planLines } from './plan-text.js'
import { problemLines } from '../problem-text.js'
import { planErrorWord, planWord, summaryLine, type PlanResult } from '../several-stacks-text.js'
import { numberOf, shortCounts } from '../short-forms.js'
import { plainStyle } from '../text.js'

/** The limit of GitHub for a comment, in characters. */
export const mostMarkdownCharacters = 65_536

/** A stack has this much room, or the document ends before it. */
const leastFoldCharacters = 1_000

const note = '_Shortened: GitHub accepts 65,536 characters. `gitmoor plan NAME` prints a plan in full._\n'

/** The lines of the document. */
export function planMarkdown(results: readonly PlanResult[]): readonly string[] {
  const listed = results.filter((result) => 'error' in result || result.value.changes.length > 0)
  const words = results.map((result) => ('error' in result ? planErrorWord(result.error) : planWord(result.value)))
  const table = tableText(listed, mostMarkdownCharacters / 2)
  const head = `<!-- gitmoor plan -->\n### gitmoor plan\n\n${summaryLine(words)}\n${table.text}`
  const folded = foldAll(listed, mostMarkdownCharacters - head.length - note.length - 2)
  const isWhole = table.isWhole && folded.isWhole
  const texts = [head, folded.text, isWhole ? '' : note].filter((text) => text !== '')
  return texts.join('\n').trimEnd().split('\n')
}

/** A text, and whether nothing of it is left out. */
interface Fitted {
  readonly text: string
  readonly isWhole: boolean
}

function tableText(results: readonly PlanResult[], most: number): Fitted {
  if (results.length === 0) return { text: '', isWhole: true }
  const head = '\n| Stack | Changes | Approval | Blocked | Digest |\n|---|---|---|---|---|\n'
  const rows = results.map((result) => `| ${tableCells(result).join(' | ')} |\n`)
  const shown = firstWithin(rows, most)
  const rest = rows.length - shown.length
  const more = rest === 0 ? '' : `| … and ${rest} more | | | | |\n`
  return { text: head + shown.join('') + more, isWhole: rest === 0 }
}

function tableCells(result: PlanResult): readonly string[] {
  if ('error' in result) return [code(result.name), planErrorWord(result.error), '', '', '']
  const { counts, digest } = result.value
  const rules = approvalRules(result.value)
  const approval = rules.length === 0 ? '' : `needed: ${rules.map(code).join(', ')}`
  const blocked = blockedReasons(result.value).map(code).join(', ')
  return [code(result.name), code(shortCounts(counts)), approval, blocked, code(digest.slice(0, 12))]
}

/** The changes of each stack. If they do not fit together, the longest ones are cut to the same length. */
function foldAll(results: readonly PlanResult[], most: number): Fitted {
  const folds = results.map((result) => ({ summary: summaryText(result), lines: resultLines(result) }))
  const sizes = folds.map(({ summary, lines }) => fold(summary, lines).length + 1)
  const share = Math.max(leastFoldCharacters, largestShare(sizes, most))
  const texts: string[] = []
  let left = most
  for (const { summary, lines } of folds) {
    const text = foldWithin(summary, lines, Math.min(share, left) - 1)
    if (text === '') continue
    texts.push(text)
    left -= text.length + 1
  }
  return { text: texts.join('\n'), isWhole: sizes.every((size) => size <= share) && texts.length === folds.length }
}

/** The largest length at which texts fit together if longer ones are cut to it. */
function largestShare(sizes: readonly number[], total: number): number {
  let left = total
  for (const [at, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - at))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

function summaryText(result: PlanResult): string {
  if ('error' in result) return `${code(result.name)}: ${planErrorWord(result.error)}`
  const { create, update, remove, unchanged } = result.value.counts
  return `${code(result.name)}: ${create} to create, ${update} to update, ${remove} to remove, ${unchanged} unchanged`
}

function resultLines(result: PlanResult): readonly string[] {
  if ('error' in result) return errorLines(result.error, plainStyle)
  const plan = planLines(result.value, { style: plainStyle, width: undefined, now: 0 })
  const problems = result.value.problems.flatMap((problem) => problemLines(problem, plainStyle))
  return [...plan.map(withSignFirst), ...(problems.length === 0 ? [] : ['', ...problems])]
}

/** GitHub colours lines that begin with `+` or `-`. */
function withSignFirst(line: string): string {
  return line.replace(/^( +)([+-]) /, '$2$1')
}

function fold(summary: string, lines: readonly string[], fence = fenceFor(lines)): string {
  return `<details><summary>${summary}</summary>\n\n${fence}diff\n${lines.join('\n')}\n${fence}\n\n</details>\n`
}

/** At most so many characters; '' if nothing fits. */
function foldWithin(summary: string, lines: readonly string[], most: number): string {
  const whole = fold(summary, lines)
  if (whole.length <= most) return whole
  const fence = fenceFor(lines)
  const last = `… and ${numberOf(lines.length, 'more line')}`
  const room = most - fold(summary, ['', last], fence).length
  const shown = firstWithin(
    lines.map((line) => `${line}\n`),
    room,
  ).map((line) => line.slice(0, -1))
  if (shown.length === 0) return ''
  return fold(summary, [...shown, `… and ${numberOf(lines.length - shown.length, 'more line')}`], fence)
}

/** The first texts that have at most so many characters together. */
function firstWithin(texts: readonly string[], most: number): readonly string[] {
  let count = 0
  for (let left = most; count < texts.length && texts[count]!.length <= left; count++) left -= texts[count]!.length
  return texts.slice(0, count)
}

/** Longer than any sequence of backticks in the lines. */
function fenceFor(lines: readonly string[]): string {
  const longest = lines.flatMap((line) => line.match(/`+/g) ?? []).map(({ length }) => length)
  return '`'.repeat(longest.reduce((most, length) => Math.max(most, length + 1), 3))
}

/** Text in an element in which GitHub makes no links and mentions nobody. All but letters and digits is escaped. */
function code(text: string): string {
  const escaped = printable(text).replaceAll(/[^A-Za-z0-9 +-]/gu, (character) => `&#${character.codePointAt(0)!};`)
  return `<code>${escaped}</code>`
}
