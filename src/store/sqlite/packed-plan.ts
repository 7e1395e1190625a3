// Plans are kept once under their digest and compressed, beside the runs: whoever lists runs reads none of them. A change is a line of the text, so that long
// plans are written and read in slices.
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createDeflate, deflateSync, inflate, inflateSync } from 'node:zlib'
import type { Change, Plan } from '../../model/change.js'
import { finish, inTurns, Turns, type Steps } from '../../model/turns.js'

/** A plan as its table keeps it. */
export interface PackedPlan {
  readonly digest: string
  readonly body: Uint8Array
}

/** Characters of the text that are compressed at once; a change is never divided. */
const pieceLength = 65_536

/** Pauses between pieces. */
export async function packPlan(plan: Plan): Promise<PackedPlan> {
  const hash = createHash('sha256')
  const turns = new Turns()
  const body: Buffer[] = []
  await pipeline(
    async function* () {
      for (const piece of piecesOf(plan)) {
        hash.update(piece)
        yield piece
        await turns.took()
      }
    },
    createDeflate(),
    async (packed: AsyncIterable<Buffer>) => {
      for await (const some of packed) body.push(some)
    },
  )
  return { digest: hash.digest('hex'), body: Buffer.concat(body) }
}

/** The plan of what `packPlan` or `packed` gave; pauses between changes. */
export async function unpackPlan(body: Uint8Array): Promise<Plan> {
  const text = await promisify(inflate)(body)
  return inTurns(planSteps(text.toString('utf8')))
}

/** The same at once. */
export function planOf(body: Uint8Array): Plan {
  return finish(planSteps(inflateSync(body).toString('utf8')))
}

/** Of a plan's text. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A plan's text, as it stands in the table. */
export function packed(text: string): Buffer {
  return deflateSync(text)
}

function* piecesOf({ changes, ...rest }: Plan): Iterable<string> {
  let piece = `${JSON.stringify(rest).slice(0, -1)},"changes":[\n`
  for (const [at, change] of changes.entries()) {
    piece += `${at === 0 ? '' : ',\n'}${JSON.stringify(change)}`
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield `${piece}\n]}`
}

/** Older versions wrote the text in one line. */
function* planSteps(text: string): Steps<Plan> {
  const [head = '', ...lines] = text.split('\n')
  if (lines.length === 0) return JSON.parse(head) as Plan
  const changes: Change[] = []
  for (const line of lines.slice(0, -1)) {
    if (line !== '') changes.push(JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as Change)
    yield
  }
  return { ...(JSON.parse(`${head}]}`) as Plan), changes }
}
