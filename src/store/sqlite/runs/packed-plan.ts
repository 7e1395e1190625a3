// Plans are stored compressed, once per digest, in a table of their own, so lists of runs do not read them. A change is
// one line of the text, so that long plans are written and read in slices.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDeflate, createInflate, deflateSync, inflateSync } from 'node:zlib'
import type { Change, Plan } from '../../../model/resources/change.js'
import { encodedPieces } from '../../../lib/text/encode-text.js'
import { Slices } from '../../../lib/async/steps.js'

/** A plan as it is stored. */
export interface PackedPlan {
  readonly digest: string
  readonly body: Uint8Array
}

/** Characters of the text that are gathered before they are compressed. */
const pieceLength = 65_536

/** Shorter texts need no large tables, which take longer to prepare than the text takes to compress. */
const smallLength = 4_096
const small = { windowBits: 12, memLevel: 5 }

/** Bytes of the text that are unpacked at once. */
const inflatedAtOnce = 256 * 1024

/** Pauses between pieces. A short plan is packed at once: a stream takes 25 times as long for it. */
export async function packPlan(plan: Plan): Promise<PackedPlan> {
  const [short = ''] = planPieces(plan)
  if (short.length < pieceLength) return { digest: textDigest(short), body: packText(short) }
  const hash = createHash('sha256')
  const turns = new Slices()
  const body: Buffer[] = []
  await pipeline(
    async function* () {
      for (const text of planPieces(plan))
        for (const piece of encodedPieces(text)) {
          hash.update(piece)
          yield piece
          await turns.afterStep()
        }
    },
    createDeflate(),
    async (packed: AsyncIterable<Buffer>) => {
      for await (const some of packed) body.push(some)
    },
  )
  return { digest: hash.digest('hex'), body: Buffer.concat(body) }
}

/** Unpacks a plan, with pauses between changes. */
export async function unpackPlan(body: Uint8Array): Promise<Plan> {
  const turns = new Slices()
  const reader = new PlanReader()
  const decoder = new TextDecoder('utf-8')
  await pipeline([body], createInflate({ chunkSize: inflatedAtOnce }), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) {
      reader.take(decoder.decode(piece, { stream: true }))
      await turns.afterStep()
    }
  })
  return reader.plan
}

/** The same without pauses. */
export function unpackPlanAtOnce(body: Uint8Array): Plan {
  const reader = new PlanReader()
  reader.take(inflateSync(body).toString('utf8'))
  return reader.plan
}

/** Why a plan needs approval. Unpacks no change: the first line of the text has everything else. */
export async function unpackApprovalReasons(body: Uint8Array): Promise<Plan['needsApproval']> {
  const decoder = new TextDecoder('utf-8')
  let text = ''
  for await (const piece of Readable.from([body]).pipe(createInflate()) as AsyncIterable<Buffer>) {
    text += decoder.decode(piece, { stream: true })
    const end = text.indexOf('\n')
    if (end >= 0) return inCurrentWords(`${text.slice(0, end)}]}`).needsApproval
  }
  return inCurrentWords(text).needsApproval
}

/** The digest of a plan's text. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A plan's text as it is stored. */
export function packText(text: string): Buffer {
  return deflateSync(text, text.length < smallLength ? small : {})
}

function* planPieces({ changes, ...rest }: Plan): Iterable<string> {
  let piece = `${JSON.stringify(rest).slice(0, -1)},"changes":[\n`
  for (const [at, change] of changes.entries()) {
    piece += `${at === 0 ? '' : ',\n'}${JSON.stringify(change)}`
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield `${piece}\n]}`
}

/** Reads a plan's text in pieces: a line for what comes before the changes, and one for each change. */
class PlanReader {
  readonly #changes: Change[] = []
  /** The text before the first change; undefined: incomplete. */
  #head: string | undefined
  /** The pieces of the current, incomplete line. */
  #parts: string[] = []

  take(text: string): void {
    const [first = '', ...others] = text.split('\n')
    this.#parts.push(first)
    for (const other of others) {
      this.#end(this.#parts.join(''))
      this.#parts = [other]
    }
  }

  /** The plan, after all pieces. Version 1 of gitmoor wrote the whole text in one line, which is still open then. */
  get plan(): Plan {
    if (this.#head !== undefined) return { ...inCurrentWords(this.#head + ']}'), changes: this.#changes }
    const plan = inCurrentWords(this.#parts.join(''))
    return { ...plan, changes: plan.changes.map(withCurrentAction) }
  }

  #end(line: string): void {
    if (this.#head === undefined) this.#head = line
    else if (line !== '')
      this.#changes.push(withCurrentAction(JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as OldChange))
  }
}

/** What versions before 18 wrote. Their plans are not written again: packing all of them would delay the upgrade. */
type OldPlan = Omit<Plan, 'needsApproval'> & { readonly held: Plan['needsApproval'] }
type OldChange = Change | (Omit<Change, 'action'> & { readonly action: 'forget' })

function inCurrentWords(text: string): Plan {
  const plan = JSON.parse(text) as Plan | OldPlan
  if (!('held' in plan)) return plan
  const { held: needsApproval, ...rest } = plan
  return { ...rest, needsApproval }
}

function withCurrentAction(change: OldChange): Change {
  return change.action === 'forget' ? { ...change, action: 'untrack' } : change
}
