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

export function parseObject(bytes: Buffer): ParsedObject {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\n\n')
  const head = end < 0 ? text : text.slice(0, end + 1)
  const lines = head.startsWith('\n') ? [] : (head.match(/[^\n]+(?:\n [^\n]*)*\n?/g) ?? [])
  return { headers: lines.map(headerOf), body: end < 0 ? '' : text.slice(end + 2) }
}

function headerOf(lines: string): Header {
  const [first = '', ...more] = lines.replace(/\n$/, '').split('\n')
  const blank = first.indexOf(' ')
  const key = blank < 0 ? first : first.slice(0, blank)
  const value = blank < 0 ? '' : first.slice(blank + 1)
  return { key, value: [value, ...more.map((line) => line.slice(1))].join('\n'), lines }
}

/** Of a commit, as git reads them: the lines that follow that of its tree. Undefined: it is no commit. */
export function parentsOf({ headers: [tree, ...others] }: ParsedObject): readonly string[] | undefined {
  if (tree === undefined || !isId(tree, 'tree')) return undefined
  const end = others.findIndex(({ key }) => key !== 'parent')
  const parents = end < 0 ? others : others.slice(0, end)
  return parents.every((parent) => isId(parent, 'parent')) ? parents.map(({ value }) => value) : undefined
}

/**
 * What a tag leads to, and its name as it says it: the first three lines, as git reads them. Undefined: it is no tag.
 */
export function tagTargetOf({
  headers: [object, type, tag],
}: ParsedObject): { readonly object: string; readonly type: string; readonly tag: string } | undefined {
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
