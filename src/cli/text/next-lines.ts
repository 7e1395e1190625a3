// What to do or type next, and other long lines, in the width of a terminal.
import { printable } from '../../lib/text/printable.js'
import { nextText, type NextStep } from '../../model/stacks/blocker.js'
import { visibleWidth, wrapped } from './table.js'

/** What to type or do next: an indented line for each step, wrapped on a terminal of this width. */
export function nextLines(steps: readonly NextStep[], width?: number): readonly string[] {
  return steps.flatMap((step) => wrappedLines('  next: ', printable(nextText([step])), width))
}

/**
 * The hint of an error, the same way: each of its lines is a step. Hints of the agent also name fields of the API,
 * which nobody types.
 */
export function hintLines(hint: string | undefined, width?: number): readonly string[] {
  if (hint === undefined) return []
  const typed = hint.replaceAll(/ \(API: [^)]*\)/g, '')
  return [...new Set(typed.split('\n'))].flatMap((step) => wrappedLines('  next: ', printable(step), width))
}

/**
 * The text behind a head, wrapped on a terminal, with later lines indented as the text. A command at its end stays on
 * one line, so that it can be copied.
 */
export function wrappedLines(head: string, text: string, width: number | undefined): readonly string[] {
  const indent = visibleWidth(head)
  const room = Math.max(leastRoom, (width ?? Number.POSITIVE_INFINITY) - indent)
  if (visibleWidth(text) <= room) return [head + text]
  const [, words = text, command] = /^(.*?)(?:^|(?<=: ))(gitmoor .*)$/s.exec(text) ?? []
  const lines = words === '' ? [] : [...wrapped(words.trimEnd(), room)]
  if (command !== undefined) lines.push(command)
  return lines.map((line, at) => (at === 0 ? head : ' '.repeat(indent)) + line)
}

const leastRoom = 40
