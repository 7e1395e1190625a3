// A git service behind the input and output of a child process. It speaks first: version 2 says what it can do, version
// 0 lists all refs. Then it is asked.
import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptions } from 'node:child_process'
import { Rejected } from '../../../model/errors.js'
import { showText } from '../../../lib/printable.js'
import { limitListing } from './list-refs.js'
import { FLUSH, readPackets, writeLine } from './packets.js'
import { refuseOtherFormat, remoteError, type GitRequest } from './protocol.js'

/** Of what a child says to people, the end is kept: why it ended comes last. */
const STDERR_CHARACTERS = 8192
const GREETING = writeLine('version 2')

/** How a child ended. `error`: it could not be started. */
export interface ChildExit {
  readonly code: number | null
  readonly stderr: string
  readonly error?: NodeJS.ErrnoException
}

/** A child and how it will end, which is watched from its start: it may end before it is asked anything. */
export interface ServiceChild {
  readonly child: ChildProcessWithoutNullStreams
  readonly exit: Promise<ChildExit>
}

export interface ChildExchange {
  readonly remote: string
  readonly request: GitRequest
  /** `git-ssh`: how the remote is reached. */
  readonly method: string
  /** Of a listing that is passed over. */
  readonly refsBytes: number
}

/** `stdio`, where it is given, begins with three pipes. */
export function startChild(program: string, options: readonly string[], around: SpawnOptions): ServiceChild {
  const child = spawn(program, options, around) as ChildProcessWithoutNullStreams
  return { child, exit: endingOf(child) }
}

/**
 * Asks one question; gives the answer as it comes, and at last how the child ended. It is killed where the signal is
 * aborted, or nobody reads on.
 */
export async function* exchangeWithChild(
  { child, exit }: ServiceChild,
  conversation: ChildExchange,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, ChildExit> {
  const stop = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    yield* answerOf(child, conversation)
    return await exit
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    await exit
  }
}

async function* answerOf(
  { stdin, stdout }: ChildProcessWithoutNullStreams,
  { remote, request, method, refsBytes }: ChildExchange,
): AsyncGenerator<Uint8Array> {
  const { v2, v0, onMethod } = request
  stdin.on('error', () => undefined) // a child that ended early says why on stderr
  onMethod?.(method)
  const output = unending(stdout)
  const head = await headOf(output)
  if (head.length < FLUSH.length) return // why it ended is told by how it ended
  if (!/^[0-9a-f]{4}/.test(head.toString('latin1'))) throw noGit(remote, head)
  const isOld = !head.subarray(0, GREETING.length).equals(GREETING)
  if (isOld) onMethod?.(`${method}-v0`)
  if (isOld && v0 === undefined) {
    stdin.end(FLUSH)
    return yield* joined(head, output)
  }
  await passOver(limitListing(joined(head, output), remote, refsBytes), remote)
  stdin.end(isOld || v2 === undefined ? v0 : Buffer.concat([v2, FLUSH]))
  yield* output
}

/** All up to the first flush. After it the service is silent until it is asked. */
async function passOver(chunks: AsyncIterable<Uint8Array>, remote: string): Promise<void> {
  for await (const packet of readPackets(chunks, remote)) {
    if (packet.kind === 'flush') return
    const said = packet.kind === 'data' ? packet.bytes.toString('utf8', 0, STDERR_CHARACTERS) : ''
    if (said.startsWith('ERR ')) throw remoteError(remote, said)
    refuseOtherFormat(remote, said)
  }
}

/** To be read in parts: who leaves off does not end it. */
function unending(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) }
}

/**
 * As much as tells the version, and what came with it; less where the stream ends. An empty repository of version 0
 * says no more than a flush.
 */
async function headOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    head = Buffer.concat([head, chunk])
    const isOpen = head.length < GREETING.length && GREETING.subarray(0, head.length).equals(head)
    if (head.length >= FLUSH.length && !isOpen) break
  }
  return head
}

async function* joined(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head
  yield* rest
}

function endingOf(child: ChildProcessWithoutNullStreams): Promise<ChildExit> {
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_CHARACTERS)
  })
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, stderr, error }))
    child.on('close', (code) => resolve({ code, stderr }))
  })
}

function noGit(remote: string, head: Buffer): Rejected {
  return new Rejected(
    `${remote} does not answer as git does: it begins with '${showText(head.toString('utf8'), 80)}'.`,
    {
      code: 'source/not-git',
      hint: 'See that the account may run git-upload-pack there, and that its shell prints no greeting.',
    },
  )
}
