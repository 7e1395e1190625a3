// Sends the JSON of GET requests compressed, and not at all if the client has it.
import type { MiddlewareHandler } from 'hono'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ApiContext, ApiEnv } from '../request-context.js'

/** A smaller answer is sent as it is: it fits into one packet anyway. */
const leastBytes = 1024

const brotliQuality = 4 // as fast as gzip, and smaller

type Encoding = 'br' | 'gzip'

const [compressBrotli, compressGzip] = [promisify(brotliCompress), promisify(gzip)]

const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (bytes) => compressGzip(bytes),
}

/**
 * Compresses JSON of more than 1 KiB with `br` or `gzip`, as `Accept-Encoding` permits. An answer without a tag of its
 * own gets a weak `ETag` of its bytes; to a request with the same `If-None-Match`, the answer is 304 without a body.
 */
export const transferJson: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  const { method } = c.req
  const isJson = c.res.headers.get('Content-Type')?.startsWith('application/json') === true
  if ((method !== 'GET' && method !== 'HEAD') || c.res.status !== 200 || !isJson) return
  const bytes = Buffer.from(await c.res.arrayBuffer())
  const { headers } = c.res
  headers.set('Vary', 'Accept-Encoding')
  const isTagged = headers.has('ETag')
  const tag = isTagged ? '' : `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  if (!isTagged) headers.set('ETag', tag)
  if (!isTagged && isKnown(tag, c.req.header('if-none-match'))) return answerUnmodified(c, headers)
  const encoding = bytes.length > leastBytes ? acceptedEncoding(c.req.header('accept-encoding')) : undefined
  const sent = encoding === undefined ? bytes : await compress[encoding](bytes)
  if (encoding !== undefined) headers.set('Content-Encoding', encoding)
  headers.set('Content-Length', String(sent.length))
  c.res = undefined // else the framework merges the headers of both answers
  c.res = new Response(new Uint8Array(sent), { status: 200, headers })
}

function answerUnmodified(c: ApiContext, headers: Headers): void {
  headers.delete('Content-Type')
  headers.delete('Content-Length')
  c.res = undefined
  c.res = new Response(null, { status: 304, headers })
}

/** `If-None-Match` compares weakly: RFC 9110, 13.1.2. */
function isKnown(tag: string, given = ''): boolean {
  return given.split(',').some((one) => one.trim() === '*' || `W/${one.trim().replace(/^W\//, '')}` === tag)
}

function acceptedEncoding(given = ''): Encoding | undefined {
  const accepted = new Set(
    given.split(',').flatMap((one) => {
      const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
      return parameters.some((part) => /^q=0(?:\.0{0,3})?$/.test(part)) ? [] : [name]
    }),
  )
  return (['br', 'gzip'] as const).find((one) => accepted.has(one))
}
