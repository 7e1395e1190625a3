// A commit or a tag as git stores it: headers, an empty line, a body. Bytes are kept as they are (latin1), since
// signatures are made over them.

export interface Header {
  readonly key: string
  /** Continued lines are joined by line breaks, without the blank that each begins with. */
  readonly value: string
  /** The lines as they stand there, with their ends. */
  readonly lines: string
}

export interface ParsedObject {
  readonly headers: readonly Header[]
  readonly body: string
}

/** Each header costs memory and time; a merge has one for each parent. */
const mostHeaders = 10_000

/** What has more headers than any real object is read as one without headers, which is no commit and no tag. */
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

/** One pass over the headers, which ends at the empty line. */
export function* headersIn(text: string): Generator<Header> {
  for (let at = 0; at < text.length && text[at] !== '\n';) {
    const end = endOfHeader(text, at)
    yield headerOf(text.slice(at, end))
    at = end
  }
}

/** Lines that begin with a blank continue the one before. */
function endOfHeader(text: string, start: number): number {
  const lastLineEnd = /\n(?! )/g
  lastLineEnd.lastIndex = start
  const found = lastLineEnd.exec(text)
  return found === null ? text.length : found.index + 1
}

function headerOf(lines: string): Header {
  const [key = ''] = /^[^ \n]*/.exec(lines) ?? []
  const value = lines.slice(lines[key.length] === ' ' ? key.length + 1 : key.length).replace(/\n$/, '')
  return { key, value: value.replaceAll('\n ', '\n'), lines }
}

/**
 * Of a commit, as git reads them: the lines that follow that of its tree. No header after them is read. Undefined: it
 * is no commit.
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
 * What a tag leads to, and its name as it says it: the first three lines, as git reads them. Undefined: it is no tag.
 */
export function tagTarget(
  headers: Iterable<Header>,
): { readonly object: string; readonly type: string; readonly tag: string } | undefined {
  const [object, type, tag] = headers
  if (object === undefined || !isId(object, 'object') || type?.key !== 'type' || tag?.key !== 'tag') return undefined
  return { object: object.value, type: type.value, tag: decode(tag.value) }
}

function isId({ key, value }: Header, wanted: string): boolean {
  return key === wanted && /^[0-9a-f]{40}$/.test(value)
}

/** Text in the encoding that a commit names; UTF-8 where it names none, or none that is known. */
export function decode(latin1: string, encoding = 'utf-8'): string {
  const bytes = Buffer.from(latin1, 'latin1')
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}
