import type { Slices } from '../../../lib/async/steps.js'

/** Instructions between two checks for a pause. */
const mostAtOnce = 1_000

/** The sizes in a delta's header (gitformat-pack), and the offset of its instructions. Undefined: malformed. */
export function readDeltaHead(
  delta: Buffer,
): { readonly base: number; readonly result: number; readonly at: number } | undefined {
  const base = readSize(delta, 0)
  const result = base && readSize(delta, base.at)
  return base && result && { base: base.value, result: result.value, at: result.at }
}

function readSize(delta: Buffer, start: number): { readonly value: number; readonly at: number } | undefined {
  let at = start
  let value = 0
  for (let scale = 1; at - start < 7; scale *= 128) {
    const byte = delta[at++]
    if (byte === undefined) return undefined
    value += (byte & 127) * scale
    if (byte < 128) return { value, at }
  }
  return undefined
}

/**
 * Applies a delta to its base: copies pieces of the base and inserts new ones. Undefined: the delta is malformed, or
 * for another base.
 */
export async function applyDelta(base: Buffer, delta: Buffer, turns: Slices): Promise<Buffer | undefined> {
  const head = readDeltaHead(delta)
  if (head === undefined || head.base !== base.length) return undefined
  const result = Buffer.allocUnsafe(head.result)
  let filled = 0
  let count = 0
  for (let at = head.at; at < delta.length;) {
    if (++count % mostAtOnce === 0) await turns.afterStep()
    const code = delta[at++]!
    const piece = code >= 128 ? readCopy(delta, at, code) : { from: at, length: code, at: at + code }
    const source = code >= 128 ? base : delta
    if (piece.length === 0 || piece.from + piece.length > source.length || filled + piece.length > result.length)
      return undefined
    source.copy(result, filled, piece.from, piece.from + piece.length)
    filled += piece.length
    at = piece.at
  }
  return filled === result.length ? result : undefined
}

/** The low seven bits select the bytes of offset and length that follow. */
function readCopy(
  delta: Buffer,
  start: number,
  code: number,
): { readonly from: number; readonly length: number; readonly at: number } {
  let at = start
  let from = 0
  let length = 0
  for (let bit = 0; bit < 4; bit++) if ((code >> bit) & 1) from += (delta[at++] ?? 0) * 256 ** bit
  for (let bit = 0; bit < 3; bit++) if ((code >> (bit + 4)) & 1) length += (delta[at++] ?? 0) * 256 ** bit
  return { from, length: length === 0 ? 0x10000 : length, at }
}
