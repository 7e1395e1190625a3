// page: the files of the web page, which `npm run build` makes from web/. Takes a path and headers; gives the answer.
// Promises: serves the built files and nothing else; index.html answers only the paths of views; every answer has the
// content security policy.
import { readdirSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'

/** The first parts of the paths of views. `/api`, `/hooks` and others never get index.html. */
const viewPaths = new Set([
  '',
  'stacks',
  'new-stack',
  'channels',
  'history',
  'targets',
  'webhooks',
  'doctor',
  'settings',
  'sign-in',
])

const quote = "'"

/** The content security policy: the page loads its own files only, and makes no script of a text. */
const policy = [
  ['default-src', 'none'],
  ['script-src', 'self'],
  ['style-src', 'self'],
  ['img-src', 'self'],
  ['connect-src', 'self'],
  ['form-action', 'self'],
  ['base-uri', 'none'],
  ['frame-ancestors', 'none'],
  ['require-trusted-types-for', 'script'],
  ['trusted-types', 'none'],
]
  .map(([name, value]) => [name, quote + value + quote].join(' '))
  .join('; ')

const securityHeaders = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Encodings that the build stores beside a file, the smaller one first. */
const encodings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const

const notFoundPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <title>Not found – gitmoor</title>
  </head>
  <body>
    <main>
      <h1>This page does not exist</h1>
      <p>gitmoor has no view at this address. Upper and lower case letters differ.</p>
      <p><a href="/">Go to the overview</a></p>
    </main>
  </body>
</html>
`

export interface FileRequest {
  readonly path: string
  /** The header `Accept-Encoding`. */
  readonly acceptEncoding: string
  /** The header `If-None-Match`. */
  readonly ifNoneMatch: string
}

export interface FileAnswer {
  readonly status: 200 | 304 | 404
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
}

/** The built files, all in memory. */
export class PageFiles {
  readonly #files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>

  /** `directory`: what the build made. Errors: those of reading it. */
  constructor(directory: string) {
    const paths = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    this.#files = new Map(
      paths.map(({ parentPath, name }) => {
        const path = join(parentPath, name)
        return [path.slice(directory.length).replaceAll('\\', '/').replace(/^\/*/, '/'), readBytes(path)]
      }),
    )
  }

  /** undefined: the page has nothing at this path. */
  answer({ path, acceptEncoding, ifNoneMatch }: FileRequest): FileAnswer | undefined {
    const file = this.#fileAt(path)
    const plain = file === undefined ? undefined : this.#files.get(file)
    if (file === undefined || plain === undefined) return undefined
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
    const isNamedByDigest = file.startsWith('/assets/')
    const headers = {
      ...securityHeaders,
      'Cache-Control': isNamedByDigest ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
      ETag: etag,
      Vary: 'Accept-Encoding',
    }
    if (ifNoneMatch.split(/, */).includes(etag)) return { status: 304, headers, body: null }
    const encoding = encodings.find(
      ({ name, extension }) => accepts(acceptEncoding, name) && this.#files.has(file + extension),
    )
    if (encoding === undefined) return { status: 200, headers, body: plain }
    const body = this.#files.get(file + encoding.extension)!
    return { status: 200, headers: { ...headers, 'Content-Encoding': encoding.name }, body }
  }

  /** For a person who typed an address that does not exist. */
  notFound(): FileAnswer {
    const headers = { ...securityHeaders, 'Cache-Control': 'no-store', 'Content-Type': types['.html']! }
    return { status: 404, headers, body: new TextEncoder().encode(notFoundPage) }
  }

  #fileAt(path: string): string | undefined {
    if (viewPaths.has(path.split('/')[1] ?? '')) return '/index.html'
    return encodings.some(({ extension }) => path.endsWith(extension)) || path === '/index.html' ? undefined : path
  }
}

function readBytes(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(path))
}

/** `gzip;q=0` refuses an encoding. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((one) => new RegExp(`^ *${encoding} *(;(?! *q=0(\\.0*)? *$)|$)`, 'i').test(one))
}
