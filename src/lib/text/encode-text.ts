import type { Steps } from '../async/steps.js'

/** Characters that are encoded in one step. */
const pieceCharacters = 256 * 1024

/** The bytes of a text in UTF-8, as `Buffer.from` encodes them; a step for each piece of a long text. */
export function* encodeText(text: string): Steps<Buffer> {
  const pieces: Buffer[] = []
  for (const piece of encodedPieces(text)) {
    if (pieces.length > 0) yield
    pieces.push(piece)
  }
  return pieces.length === 1 ? pieces[0]! : yield* joinBytes(pieces)
}

/** The same bytes piece by piece. */
export function* encodedPieces(text: string): Iterable<Buffer> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = pieceEnd(text, at)
    yield Buffer.from(text.slice(at, end))
  }
}

/** All pieces in one buffer; a step for each, because the first access to new memory takes longer than copying. */
export function* joinBytes(pieces: readonly Uint8Array[]): Steps<Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    yield
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The end of the piece that begins at `at`. The two halves of a character stay together. */
function pieceEnd(text: string, at: number): number {
  const end = at + pieceCharacters
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code < 0xdc00 ? end + 1 : end
}
