import type { ApiContext } from './asked.js'
import { Crowded } from './crowd.js'
import { HttpRefusal, TooLarge } from './http-refusal.js'

export interface BodyBounds {
  /** Of one body. */
  readonly bytes: number
  /** For all of it to come. */
  readonly ms: number
  /** Bytes that are left for all bodies that are being read; what this one takes is given back when it is read. */
  readonly room: { bytes: number }
}

/** The bytes of a body, which is given up as soon as it is too large or too slow. Errors: `TooLarge`, `HttpRefusal` 408; `Crowded`, where there is no room for it. */
export async function readBounded(c: ApiContext, { bytes, ms, room }: BodyBounds): Promise<Uint8Array> {
  if (Number(c.req.header('content-length') ?? 0) > bytes) throw new TooLarge(bytes)
  const reader = c.req.raw.body?.getReader()
  if (reader === undefined) return new Uint8Array()
  const late = AbortSignal.timeout(ms)
  const cancel = (): void => void reader.cancel(late.reason).catch(() => {})
  late.addEventListener('abort', cancel, { once: true })
  try {
    const body = await readAll(reader, bytes, room)
    if (late.aborted) throw tooSlow()
    return body
  } catch (error) {
    cancel()
    throw error
  } finally {
    late.removeEventListener('abort', cancel)
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, bytes: number, room: { bytes: number }): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length
      room.bytes -= read.value.length
      if (size > bytes) throw new TooLarge(bytes)
      if (room.bytes < 0) throw new Crowded()
      chunks.push(read.value)
    }
    return Buffer.concat(chunks)
  } finally {
    room.bytes += size
  }
}

function tooSlow(): HttpRefusal {
  return new HttpRefusal(408, 'The body did not come whole in time.', { code: 'api/slow' })
}
