// Reads bodies within limits: of each body, and of all bodies in progress together. The limits count uncompressed
// bytes.
import type { MiddlewareHandler } from 'hono'
import { DecompressionStream } from 'node:stream/web'
import { abortAfter } from '../../lib/async/abort-after.js'
import { SyncError } from '../../model/errors.js'
import { joinBytes } from '../../lib/text/encode-text.js'
import { inSlices } from '../../lib/async/steps.js'
import type { ApiContext, ApiEnv } from '../request-context.js'
import { Overloaded } from './concurrency-limit.js'
import { HttpRefusal, BodyTooLarge } from '../http-refusal.js'

export interface BodyBounds {
  /** The size of the body. */
  readonly bytes: number
  /** The time to receive it. Default: the server's limit. */
  readonly ms?: number
  /** The bytes left for all bodies in progress. This body takes some and returns them when it is read. */
  readonly budget: { bytes: number }
}

export interface BodyLimits {
  /** The size of a body. Default 4 MiB. */
  readonly bytes: number
  /** The size of a body with packages. Default 64 MiB. */
  readonly packageBytes: number
  /** The total size of bodies in progress. Default 256 MiB. */
  readonly budgetBytes: number
}

export const bodyLimits: BodyLimits = {
  bytes: 4 * 1024 * 1024,
  packageBytes: 64 * 1024 * 1024,
  budgetBytes: 256 * 1024 * 1024,
}

/**
 * Reads the body of each request. `takesPackages`: true for paths with the larger limit. Errors: those of
 * `readBounded`.
 */
export function readBodies(
  { bytes, packageBytes, budgetBytes }: BodyLimits,
  takesPackages: (path: string) => boolean,
): MiddlewareHandler<ApiEnv> {
  const budget = { bytes: budgetBytes }
  return async (c, next) => {
    c.set('body', await readBounded(c, { bytes: takesPackages(c.req.path) ? packageBytes : bytes, budget }))
    await next()
  }
}

/** The body as text. */
export function bodyText(c: ApiContext): string {
  return new TextDecoder('utf-8').decode(c.get('body'))
}

/**
 * The uncompressed bytes of a body. Stops as soon as it is too large or too slow. Errors: `BodyTooLarge`,
 * `HttpRefusal` 400, 408 and 415; `Overloaded`, if all bodies in progress are too large.
 */
export async function readBounded(c: ApiContext, { bytes, ms, budget }: BodyBounds): Promise<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > bytes) throw new BodyTooLarge(bytes)
  const reader = decompressed(c)?.getReader()
  if (reader === undefined) return new Uint8Array()
  const late = ms === undefined ? new AbortController().signal : abortAfter(ms)
  const cancel = (): void => void reader.cancel(late.reason).catch(() => {})
  late.addEventListener('abort', cancel, { once: true })
  try {
    const body = await readAll(reader, bytes, budget)
    if (late.aborted) throw tooSlow()
    return body
  } catch (error) {
    cancel()
    throw isCompressed(c) && !(error instanceof SyncError) ? undecompressable(error) : error
  } finally {
    late.removeEventListener('abort', cancel)
  }
}

function contentEncoding(c: ApiContext): string {
  return (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase()
}

function isCompressed(c: ApiContext): boolean {
  return contentEncoding(c) !== 'identity'
}

function decompressed(c: ApiContext): ReadableStream<Uint8Array> | null {
  const { body } = c.req.raw
  if (!isCompressed(c) || body === null) return body
  if (contentEncoding(c) !== 'gzip')
    throw new HttpRefusal(415, 'The Content-Encoding is not supported.', {
      code: 'api/content-encoding',
      hint: 'Use `Content-Encoding: gzip`, or send the body uncompressed.',
    })
  return body.pipeThrough(new DecompressionStream('gzip'))
}

function undecompressable(cause: unknown): HttpRefusal {
  return new HttpRefusal(400, 'The body is not valid gzip.', { code: 'api/malformed-encoding', cause })
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  bytes: number,
  room: { bytes: number },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length
      room.bytes -= read.value.length
      if (size > bytes) throw new BodyTooLarge(bytes)
      if (room.bytes < 0) throw new Overloaded()
      chunks.push(read.value)
    }
    return chunks.length === 1 ? chunks[0]! : await inSlices(joinBytes(chunks))
  } finally {
    room.bytes += size
  }
}

function tooSlow(): HttpRefusal {
  return new HttpRefusal(408, 'The body did not arrive in time.', { code: 'api/request-timeout' })
}
