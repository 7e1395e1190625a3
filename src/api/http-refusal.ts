// Refusals with their own HTTP status. They have the shape of all errors.
import { Refused } from '../model/errors.js'

/** A request that is refused at the HTTP level. `http`: the status code. */
export class HttpRefusal extends Refused {
  readonly http: 400 | 404 | 405 | 408 | 412 | 413 | 415 | 421 | 422 | 429 | 431
  constructor(http: HttpRefusal['http'], message: string, facts: ConstructorParameters<typeof Refused>[2] = {}) {
    super(http === 404 ? 'not-found' : http === 412 ? 'stale' : 'usage', message, facts)
    this.http = http
  }
}

export class UnknownHost extends HttpRefusal {
  constructor() {
    super(421, 'The Host header is not allowed.', {
      code: 'api/unknown-host',
      hint: 'Use a loopback name or the listen address, or add the name to `hosts` in the configuration file.',
    })
  }
}

export class BodyTooLarge extends HttpRefusal {
  constructor(maxBytes: number) {
    super(413, `The body is larger than ${maxBytes} bytes.`, {
      code: 'api/body-too-large',
      hint: 'Split the request. docs/reference/limits.md lists the limits, and which ones the configuration file sets.',
    })
  }
}

/** Too many requests. `waitMs`: when to retry. */
export class RateLimited extends HttpRefusal {
  readonly waitMs: number
  constructor(waitMs: number) {
    super(429, 'Too many requests.', {
      code: 'api/rate-limited',
      hint: 'Retry after the time in the header Retry-After.',
    })
    this.waitMs = waitMs
  }
}

/** The path exists, but for other methods. */
export class MethodNotAllowed extends HttpRefusal {
  readonly allowed: readonly string[]
  constructor(method: string, allowed: readonly string[]) {
    super(405, `${method} is not allowed for this path.`, {
      code: 'api/method-not-allowed',
      hint: `Allowed: ${allowed.join(', ')}.`,
    })
    this.allowed = allowed
  }
}

export class UnknownRoute extends HttpRefusal {
  constructor() {
    super(404, 'No such path.', {
      code: 'api/not-found',
      hint: 'GET /api/v1/openapi.json lists all paths.',
    })
  }
}

/** The methods of a path; empty: no such path. `routes`: as Hono lists them, with middleware as method ALL. */
export function allowedMethods(
  routes: readonly { readonly method: string; readonly path: string }[],
  path: string,
): readonly string[] {
  const methods = routes
    .filter((route) => route.method !== 'ALL' && matches(route.path, path))
    .map((route) => route.method)
  return [...new Set(methods)].sort()
}

/** A pattern that ends with `{[^]+}` matches all that follows. */
function matches(pattern: string, path: string): boolean {
  const isOpen = pattern.endsWith('{[^]+}')
  const expected = pattern.split('/')
  const given = path.split('/')
  return (
    (expected.length === given.length || (isOpen && given.length > expected.length)) &&
    expected.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  )
}
