// The cookie of a session, and which requests may use it.
import type { ApiContext } from '../request-context.js'
import { sessionLimits } from '../../model/agent/session.js'
import { Refused } from '../../model/errors.js'

/** The cookie over https: browsers then refuse it from anything but this host over https. */
const securePrefix = '__Host-'

/** The value of the cookie with this name, over http or https; undefined: none. */
export function readCookie(c: ApiContext, name: string): string | undefined {
  const cookies = (c.req.header('cookie') ?? '').split(/; */)
  for (const candidate of [`${securePrefix}${name}`, name]) {
    const found = cookies.find((cookie) => cookie.startsWith(`${candidate}=`))
    if (found !== undefined) return found.slice(candidate.length + 1)
  }
  return undefined
}

/** `value` absent: removes the cookie. */
export function setCookie(c: ApiContext, name: string, value?: string): void {
  const isSecure = (c.req.header('origin') ?? '').startsWith('https:')
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  const seconds = value === undefined ? 0 : sessionLimits.longestMs / 1000
  c.header('Set-Cookie', `${isSecure ? securePrefix : ''}${name}=${value ?? ''}; ${attributes}; Max-Age=${seconds}`, {
    append: true,
  })
}

/**
 * Refuses a request with a cookie that a page of another origin sent. Browsers set `Sec-Fetch-Site` themselves; where
 * it is missing, `Origin` must be the host that the request was sent to.
 */
export function requireSameOrigin(c: ApiContext): void {
  const site = c.req.header('sec-fetch-site')
  const origin = c.req.header('origin') ?? ''
  const isSame = site === undefined ? isOwnOrigin(c, origin) : site === 'same-origin'
  if (isSame && c.req.header('x-gitmoor-page') === '1') return
  throw new Refused('auth', 'The request does not come from the page of this agent.', {
    code: 'api/other-origin',
    hint: 'Programs send the token: `Authorization: Bearer TOKEN`.',
  })
}

function isOwnOrigin(c: ApiContext, origin: string): boolean {
  const host = c.req.header('host') ?? ''
  return host !== '' && URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}
