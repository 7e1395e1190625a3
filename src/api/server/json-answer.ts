// Writes answers in slices, as JSON or as given texts. A large answer does not block the event loop and is never one
// string.
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { inSlices, type Steps } from '../../lib/async/steps.js'
import { isPlain, isSmall } from '../../lib/small-json.js'

/** Characters that are encoded at once. A longer text is one piece. */
const pieceCharacters = 64 * 1024

/** Levels of lists and maps that are written value by value. */
const expandedLevels = 4

/** Collects and encodes the text of an answer. */
export class JsonPieces {
  readonly #bytes: Buffer[] = []
  #text = ''

  add(text: string): void {
    this.#text += text
    if (this.#text.length >= pieceCharacters) this.#encode()
  }

  /** The collected text; a string if it is small. */
  finished(): string | readonly Buffer[] {
    if (this.#bytes.length === 0) return this.#text
    this.#encode()
    return this.#bytes
  }

  #encode(): void {
    this.#bytes.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** Answers with what `write` adds. */
export async function answerJson(
  c: Context,
  write: (pieces: JsonPieces) => Steps<void>,
  { status, type }: { readonly status: ContentfulStatusCode; readonly type: string },
): Promise<Response> {
  const pieces = new JsonPieces()
  await inSlices(write(pieces))
  const content = pieces.finished()
  if (typeof content === 'string') return c.body(content, status, { 'Content-Type': type })
  const length = content.reduce((sum, { length: bytes }) => sum + bytes, 0)
  return c.body(ReadableStream.from(content), status, { 'Content-Type': type, 'Content-Length': String(length) })
}

/** Writes given texts; a step for each. */
export function* writeTexts(texts: Iterable<string>, pieces: JsonPieces): Steps<void> {
  for (const text of texts) {
    yield
    pieces.add(text)
  }
}

/** Writes a value as `JSON.stringify` does; a step for each entry of a list or map that is not small. */
export function* writeJson(value: unknown, pieces: JsonPieces, levels = expandedLevels): Steps<void> {
  if (levels === 0 || !isNested(value) || isSmall(value)) pieces.add(JSON.stringify(value))
  else if (Array.isArray(value)) yield* writeList(value, pieces, levels - 1)
  else yield* writeMap(value, pieces, levels - 1)
}

function* writeList(list: readonly unknown[], pieces: JsonPieces, levels: number): Steps<void> {
  pieces.add('[')
  for (const [at, one] of list.entries()) {
    yield
    if (at > 0) pieces.add(',')
    yield* writeJson(one ?? null, pieces, levels)
  }
  pieces.add(']')
}

function* writeMap(map: object, pieces: JsonPieces, levels: number): Steps<void> {
  pieces.add('{')
  const entries = Object.entries(map).filter(([, one]) => one !== undefined)
  for (const [at, [key, one]] of entries.entries()) {
    yield
    pieces.add(`${at > 0 ? ',' : ''}${JSON.stringify(key)}:`)
    yield* writeJson(one, pieces, levels)
  }
  pieces.add('}')
}

/** True for a list, and for a plain map in which there is a list or a map. */
function isNested(value: unknown): value is object {
  if (Array.isArray(value)) return true
  return isPlain(value) && Object.values(value).some((one) => typeof one === 'object' && one !== null)
}
