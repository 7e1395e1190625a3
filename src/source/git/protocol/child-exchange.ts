// An exchange with a git service that runs as a child process. The service speaks first: in version 2 it sends its
// capabilities, in version 0 all refs.
import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptions } from 'node:child_process'
import { Rejected } from '../../../model/errors.js'
import { showText } from '../../../lib/text/printable.js'
import { limitListing } from './list-refs.js'
import { FLUSH, readPackets, writeLine } from './packets.js'
import { refuseOtherFormat, remoteError, type GitRequest } from './protocol.js'

/** Only the end of stderr is kept: the reason of the exit comes last. */
const STDERR_CHARACTERS = 8192
const GREETING = writeLine('version 2')

/** How a child ended. `error`: it could not be started. */
export interface ChildExit {
  readonly code: number | null
  readonly stderr: string
  readonly error?: NodeJS.ErrnoException
}

/** A child process. `exit` is watched from the start, because the child may end before it gets a request. */
export interface ServiceChild {
  readonly child: ChildProcessWithoutNullStreams
  readonly exit: Promise<ChildExit>
}

export interface ChildExchange {
  readonly remote: string
  readonly request: GitRequest
  /** The transport, for metrics: `git-ssh`. */
  readonly method: string
  /** The largest ref advertisement that is skipped. */
  readonly refsBytes: number
}

/** `stdio`, if given, must start with three pipes. */
export function startChild(program: string, options: readonly string[], around: SpawnOptions): ServiceChild {
  const child = spawn(program, options, around) as ChildProcessWithoutNullStreams
  return { child, exit: childExit(child) }
}

/**
 * Sends one request and yields the response as it arrives. Returns how the child ended. The child is killed if the
 * signal aborts or if the caller stops reading.
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
    yield* readAnswer(child, conversation)
    return await exit
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    await exit
  }
}

async function* readAnswer(
  { stdin, stdout }: ChildProcessWithoutNullStreams,
  { remote, request, method, refsBytes }: ChildExchange,
): AsyncGenerator<Uint8Array> {
  const { v2, v0, onMethod } = request
  stdin.on('error', () => undefined) // a child that ends early explains it on stderr
  onMethod?.(method)
  const output = keptOpen(stdout)
  const head = await readHead(output)
  if (head.length < FLUSH.length) return // the exit explains it
  if (!/^[0-9a-f]{4}/.test(head.toString('latin1'))) throw notGit(remote, head)
  const isOld = !head.subarray(0, GREETING.length).equals(GREETING)
  if (isOld) onMethod?.(`${method}-v0`)
  if (isOld && v0 === undefined) {
    stdin.end(FLUSH)
    return yield* joined(head, output)
  }
  await skipAdvertisement(limitListing(joined(head, output), remote, refsBytes), remote)
  stdin.end(isOld || v2 === undefined ? v0 : Buffer.concat([v2, FLUSH]))
  yield* output
}

/** Skips everything up to the first flush packet. Then the service waits for a request. */
async function skipAdvertisement(chunks: AsyncIterable<Uint8Array>, remote: string): Promise<void> {
  for await (const packet of readPackets(chunks, remote)) {
    if (packet.kind === 'flush') return
    const said = packet.kind === 'data' ? packet.bytes.toString('utf8', 0, STDERR_CHARACTERS) : ''
    if (said.startsWith('ERR ')) throw remoteError(remote, said)
    refuseOtherFormat(remote, said)
  }
}

/** An iterable that can be read in parts: leaving a loop does not end it. */
function keptOpen(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) }
}

/**
 * Enough bytes to detect the version, and what arrived with them; less if the stream ends. An empty repository in
 * version 0 sends only a flush packet.
 */
async function readHead(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
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

function childExit(child: ChildProcessWithoutNullStreams): Promise<ChildExit> {
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-STDERR_CHARACTERS)
  })
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, stderr, error }))
    child.on('close', (code) => resolve({ code, stderr }))
  })
}

function notGit(remote: string, head: Buffer): Rejected {
  return new Rejected(
    `${remote} is not a git service: its output starts with "${showText(head.toString('utf8'), 80)}".`,
    {
      code: 'source/not-git',
      hint: 'Check that the account can run git-upload-pack on the server, and that its shell prints no greeting.',
    },
  )
}
