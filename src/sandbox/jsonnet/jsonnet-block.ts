export type Block = { readonly value: string; readonly end: number } | { readonly fault: string }

/**
 * A text block that starts at `start`: `|||`, then lines with the indentation of the first one. `end`: after the
 * closing `|||`.
 */
export function blockAt(text: string, start: number): Block {
  const opened = /\|\|\|[ \t\r]*\n(\n*)([ \t]+)?/y
  opened.lastIndex = start
  const found = opened.exec(text)
  if (found === null) return { fault: 'a line break is missing after |||' }
  const [, blanks = '', indent = ''] = found
  if (indent === '') return { fault: 'the first line of a text block must be indented' }
  return readLines(text, opened.lastIndex - indent.length, { indent, value: blanks })
}

/** Reads lines with that indentation, and empty lines, up to another line, which must close the block. */
function readLines(
  text: string,
  first: number,
  { indent, value: before }: { readonly indent: string; readonly value: string },
): Block {
  const lines: string[] = [before]
  let at = first
  while (text.startsWith(indent, at) || text[at] === '\n') {
    const from = text[at] === '\n' ? at : at + indent.length
    const end = text.indexOf('\n', from)
    if (end === -1) return { fault: 'the text block that starts here has no end' }
    lines.push(text.slice(from, end + 1))
    at = end + 1
  }
  const closed = /[ \t]*\|\|\|/y
  closed.lastIndex = at
  return closed.test(text)
    ? { value: lines.join(''), end: closed.lastIndex }
    : { fault: 'the text block that starts here is not closed by |||' }
}
