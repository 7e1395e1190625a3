// Parses commits and tags: headers, an empty line, a body. Bytes stay unchanged (latin1), because signatures cover
// them.

export interface Header {
  readonly key: string
  /** Continuation lines are joined by line breaks, without their leading space. */
  readonly value: string
  /** The unchanged lines, with their line ends. */
  readonly lines: string
}

export interface ParsedObject {
  readonly headers: readonly Header[]
  readonly body: string
}

/** The most headers. A merge has one for each parent. */
const mostHeaders = 10_000

/** An object with too many headers is read as one without headers, which is neither a commit nor a tag. */
export function parseObject(bytes: Buffer): ParsedObject {
  const text = bytes.toString('latin1')
  const headers: Header[] = []
  let end = 0
  for (const header of headersIn(text)) {
    if (headers.push(header) > mostHeaders) return { headers: [], body: '' }
    end += header.lines.length
  }
  return { headers, body: text.slice(end + 1) }
}

/** Reads the headers up to the empty line, in one pass. */
export function* headersIn(text: string): Generator<Header> {
  for (let at = 0; at < text.length && text[at] !== '\n';) {
    const end = endOfHeader(text, at)
    yield parseHeader(text.slice(at, end))
    at = end
  }
}

/** A line that starts with a space continues the previous one. */
function endOfHeader(text: string, start: number): number {
  const lastLineEnd = /\n(?! )/g
  lastLineEnd.lastIndex = start
  const found = lastLineEnd.exec(text)
  return found === null ? text.length : found.index + 1
}

function parseHeader(lines: string): Header {
  const [key = ''] = /^[^ \n]*/.exec(lines) ?? []
  const value = lines.slice(lines[key.length] === ' ' ? key.length + 1 : key.length).replace(/\n$/, '')
  return { key, value: value.replaceAll('\n ', '\n'), lines }
}

/**
 * The parents of a commit, as git reads them: the lines after its tree. Later headers are not read. Undefined: it is
 * not a commit.
 */
export function commitParents(headers: Iterable<Header>): readonly string[] | undefined {
  const parents: string[] = []
  let hasTree = false
  for (const header of headers) {
    if (hasTree && header.key !== 'parent') break
    if (!isId(header, hasTree ? 'parent' : 'tree')) return undefined
    if (hasTree) parents.push(header.value)
    hasTree = true
  }
  return hasTree ? parents : undefined
}

/**
 * The target of a tag, and its name in the tag object: the first three lines, as git reads them. Undefined: it is not a
 * tag.
 */
export function tagTarget(
  headers: Iterable<Header>,
): { readonly object: string; readonly type: string; readonly tag: string } | undefined {
  const [object, type, tag] = headers
  if (object === undefined || !isId(object, 'object') || type?.key !== 'type' || tag?.key !== 'tag') return undefined
  return { object: object.value, type: type.value, tag: decode(tag.value) }
}

function isId({ key, value }: Header, expected: string): boolean {
  return key === expected && /^[0-9a-f]{40}$/.test(value)
}

/** Decodes text in the encoding of the commit; UTF-8 if it names none or an unknown one. */
export function decode(latin1: string, encoding = 'utf-8'): string {
  const bytes = Buffer.from(latin1, 'latin1')
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}
