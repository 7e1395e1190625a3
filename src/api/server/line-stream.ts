// Answers with JSON lines (https://github.com/ndjson/ndjson-spec): one for each value, as it is known.
import type { Context } from 'hono'

const lineType = 'application/x-ndjson'

/** True if the client asks for lines in place of one document. */
export function asksForLines(c: Context): boolean {
  return (c.req.header('accept') ?? '').includes(lineType)
}

const encoder = new TextEncoder()

/**
 * Answers with a line for each call of `give`. Rejects if `produce` fails before the first one; later the answer breaks
 * off.
 */
export function answerLines(c: Context, produce: (give: (value: object) => void) => Promise<void>): Promise<Response> {
  return new Promise((resolve, reject) => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    let state: 'waiting' | 'open' | 'ended' = 'waiting'
    const body = new ReadableStream<Uint8Array>({
      start: (one) => void (controller = one),
      cancel: () => void (state = 'ended'),
    })
    const open = (): void => {
      if (state !== 'waiting') return
      state = 'open'
      resolve(c.body(body, 200, { 'Content-Type': lineType, 'X-Accel-Buffering': 'no' }))
    }
    const give = (value: object): void => {
      open()
      if (state === 'open') controller?.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
    }
    const produceAll = async (): Promise<void> => {
      try {
        await produce(give)
        open()
        if (state === 'open') controller?.close()
      } catch (error) {
        if (state === 'waiting') reject(error)
        else if (state === 'open') controller?.error(error)
      }
    }
    void produceAll()
  })
}
