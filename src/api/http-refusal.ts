// Refusals that only HTTP knows: they have a status of their own and the shape of every other error.
import { Refused } from '../model/errors.js'

/** A request that is wrong as HTTP. `http`: its status code. */
export class HttpRefusal extends Refused {
  readonly http: 400 | 404 | 405 | 408 | 413 | 415 | 421 | 422 | 429 | 431
  constructor(http: HttpRefusal['http'], message: string, facts: ConstructorParameters<typeof Refused>[2] = {}) {
    super(http === 404 ? 'not-found' : 'usage', message, facts)
    this.http = http
  }
}

export class UnknownHost extends HttpRefusal {
  constructor() {
    super(421, 'This agent is not known by the name in the header Host.', {
      code: 'api/unknown-host',
      hint: 'Use a loopback name or the listen address, or add the name to `hosts` in the configuration.',
    })
  }
}

export class BodyTooLarge extends HttpRefusal {
  constructor(maxBytes: number) {
    super(413, `The body is larger than ${maxBytes} bytes.`, { code: 'api/body-too-large', hint: 'Send less at once.' })
  }
}

/** More came than is taken. `waitMs`: after how long one more is. */
export class RateLimited extends HttpRefusal {
  readonly waitMs: number
  constructor(waitMs: number) {
    super(429, 'Too many requests of this sort.', {
      code: 'api/too-many',
      hint: 'Send it again later; Retry-After says when.',
    })
    this.waitMs = waitMs
  }
}

/** The path exists, for other methods. */
export class MethodNotAllowed extends HttpRefusal {
  readonly allowed: readonly string[]
  constructor(method: string, allowed: readonly string[]) {
    super(405, `${method} is not possible here.`, { code: 'api/method', hint: `Possible: ${allowed.join(', ')}.` })
    this.allowed = allowed
  }
}

export class UnknownRoute extends HttpRefusal {
  constructor() {
    super(404, 'There is nothing at this path.', {
      code: 'api/route',
      hint: 'GET /api/v1/openapi.json lists what there is.',
    })
  }
}

/**
 * The methods that routes know for a path; none: there is no such path. `routes` as Hono lists them: `/stacks/:name`,
 * middleware as method ALL.
 */
export function allowedMethods(
  routes: readonly { readonly method: string; readonly path: string }[],
  path: string,
): readonly string[] {
  const methods = routes
    .filter((route) => route.method !== 'ALL' && matches(route.path, path))
    .map((route) => route.method)
  return [...new Set(methods)].sort()
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const given = path.split('/')
  return (
    expected.length === given.length &&
    expected.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  )
}
