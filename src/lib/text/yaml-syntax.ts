// What is wrong with a YAML text, in plain words: the one table for both parsers (packages and configuration files).

/** `offset`: of what a person has to change, always within the text. */
export interface YamlSyntaxError {
  readonly offset: number
  readonly reason: string
  readonly hint: string
}

/** Explains an error of a parser, which reports where it gave up: often the line after the mistake. */
export function explainYamlError(text: string, offset: number, raw: string): YamlSyntaxError {
  const open = openAt(text, offset).at(-1)
  const within = Math.max(0, Math.min(offset, text.trimEnd().length - 1))
  const isClosed = open !== undefined && !isOpenAtEnd(text, open)
  if (open !== undefined && !isClosed && notClosed.some((one) => one.test(raw)))
    return { ...unclosed(text, open), offset: open }
  if (isClosed && noComma.test(raw)) return { offset: within, ...missingComma }
  for (const [pattern, reason, hint] of explanations) if (pattern.test(raw)) return { offset: within, reason, hint }
  if (misplaced.some((one) => one.test(raw))) return explainMisplaced(text, within)
  return { offset: within, reason: raw, hint: 'Fix the syntax there.' }
}

/** What the parsers report between brackets where a comma is missing. */
const noComma = /^missed comma|^Missing ,|^Implicit |^Block collections|^Unexpected \S+ token/
const missingComma = {
  reason: 'a comma is missing between two entries',
  hint: 'Put a comma between them. Within brackets, entries have no dashes.',
}

/** Errors of a quoted text or a bracket that the parser reports at a later place. */
const notClosed = [
  /^deficient indentation|^unexpected end of the|^missed comma|^expected the node/,
  /^Missing (?:closing|,)|^Flow |^Unexpected |^Implicit |^Block collections/,
]

/** The parsers report many mistakes by these words; the text shows which one it is. */
const misplaced = [
  /^bad indentation|^deficient indentation|items must start at the same column|^Nested mappings|^Sequence item without|at node end$/,
  /document separator is expected|^a line break is expected|^Plain value cannot start|^Block scalar lines/,
  /^Unexpected .* in YAML stream/,
]

const explanations: readonly (readonly [pattern: RegExp, reason: string, hint: string])[] = [
  [/^tab characters|^Tabs are not/, 'a tab is used as indentation', 'Indent with spaces. YAML allows no tabs there.'],
  [
    /^can not read a block mapping entry|^Implicit |^expected ':'/,
    'this line, or the line before it, has no colon after its key',
    'Write `key: value`.',
  ],
  [
    /^expected the node content|^Unexpected , /,
    'an entry is missing before this comma',
    'Remove the comma, or write the entry.',
  ],
  [/^unexpected end of the/, 'the file ends too early', 'Write the rest of the value.'],
  [
    /^unknown escape|^Invalid escape|^expected hexadecimal/,
    'the text in double quotes has an invalid escape',
    'Write a backslash as `\\\\`, or put the text in single quotes.',
  ],
  [/non-printable/, 'the text contains a control character', 'Remove it, or write it as an escape in double quotes.'],
  [/^a whitespace character is expected/, 'there is no space after the colon', 'Write `key: value`.'],
  [/alias|anchor/i, 'the alias or the anchor here is not valid', 'Put a text that begins with `*` or `&` in quotes.'],
  [
    /unknown.* tag|tag (?:handle|name|suffix|prefix)|tag property|verbatim tag|Unresolved tag/i,
    'the tag is not supported',
    'Write the value without the tag. Put a text that begins with `!` in quotes.',
  ],
]

function explainMisplaced(text: string, offset: number): YamlSyntaxError {
  const line = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(line, offset)
  const here = text.charAt(offset)
  if (/[@`%]/.test(here))
    return { offset, reason: `a value cannot begin with ${here}`, hint: 'Put the value in quotes.' }
  if (/[\]}]/.test(here))
    return {
      offset,
      reason: `the bracket ${here} here closes nothing`,
      hint: `Remove it, or open the list or map before it.`,
    }
  if (/["']\s*$/.test(before))
    return {
      offset,
      reason: 'there is text after the closing quote',
      hint: 'Put the whole value in quotes, or remove the rest.',
    }
  const end = lineEnd(text, offset)
  const goesOn = !/:\s|:$/.test(text.slice(offset, end)) && /\S/.test(text.slice(end))
  if (/:\s/.test(before) && goesOn) return misindented(end + text.slice(end).search(/\S/))
  if (/:\s/.test(before))
    return {
      offset,
      reason: 'the value contains a colon and a space',
      hint: 'Put the value in quotes, or begin a new line.',
    }
  return misindented(line + text.slice(line).search(/[^ ]/))
}

function misindented(offset: number): YamlSyntaxError {
  return {
    offset,
    reason: 'this line is not indented like the entries around it',
    hint: 'Indent all entries of one map or list by the same number of spaces.',
  }
}

function unclosed(text: string, open: number): Pick<YamlSyntaxError, 'reason' | 'hint'> {
  const mark = text.charAt(open)
  if (mark === '"' || mark === "'")
    return { reason: 'the quoted text that begins here is not closed', hint: `Add the missing ${mark} at its end.` }
  return {
    reason: `the bracket ${mark} here is not closed`,
    hint: `Add the missing ${mark === '[' ? ']' : '}'} at its end.`,
  }
}

/** Texts are not searched for open quotes and brackets further than this. */
const mostSearched = 1024 * 1024

/** A bracket before a missing comma is closed later. A quote ends at any later quote, so nothing shows its end. */
function isOpenAtEnd(text: string, open: number): boolean {
  return /["']/.test(text.charAt(open)) || openAt(text, Math.min(text.length, mostSearched)).includes(open)
}

/** The offsets of the brackets that are open at an offset, the innermost last, else of the quote. */
function openAt(text: string, end: number): readonly number[] {
  if (end > mostSearched) return []
  const brackets: number[] = []
  for (let at = 0; at < end; at++) {
    const char = text.charAt(at)
    if (char === '#' && beginsWord(text, at)) at = lineEnd(text, at)
    else if ((char === '|' || char === '>') && brackets.length === 0 && beginsValue(text, at)) at = blockEnd(text, at)
    else if ((char === '"' || char === "'") && beginsValue(text, at)) {
      const close = closingQuote(text, at)
      if (close >= end) return [at]
      at = close
    } else if ((char === '[' || char === '{') && (brackets.length > 0 || beginsValue(text, at))) brackets.push(at)
    else if (char === ']' || char === '}') brackets.pop()
  }
  return brackets
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || /\s/.test(text.charAt(at - 1))
}

/** Nothing is before it in its line but indentation, a mark such as `key:` or `-`, an anchor or a tag. */
function beginsValue(text: string, at: number): boolean {
  const near = text.slice(Math.max(0, at - 200), at)
  const before = near.slice(near.lastIndexOf('\n') + 1)
  const bare = before.trimEnd()
  if (bare === '' || /[[{,]$|["']:$/.test(bare)) return true
  return bare !== before && /:$|(?:^|\s)(?:[-?]|[&!]\S*)$/.test(bare)
}

/** The length of the text if it is not closed. */
function closingQuote(text: string, open: number): number {
  const quote = text.charAt(open)
  for (let at = open + 1; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === '\\') at++
    else if (text.charAt(at) === quote) {
      if (quote === '"' || text.charAt(at + 1) !== quote) return at
      at++
    }
  }
  return text.length
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** The end of a block scalar: its lines are empty or indented more than the line that opens it. */
function blockEnd(text: string, at: number): number {
  const indent = /^ */.exec(text.slice(text.lastIndexOf('\n', at) + 1, at))![0].length
  let end = lineEnd(text, at)
  while (end < text.length) {
    const next = lineEnd(text, end + 1)
    const line = text.slice(end + 1, next)
    if (line.trim() !== '' && line.search(/\S/) <= indent) break
    end = next
  }
  return end
}
