// Sign-in of the page: POST /api/v1/session with the token or a code of `gitmoor page` sets a cookie.
import { timingSafeEqual } from 'node:crypto'
import { z } from '@hono/zod-openapi'
import { callerPattern, callerRule } from '../../../model/agent/caller-name.js'
import { sessionEnd, type Session } from '../../../model/agent/session.js'
import { Refused } from '../../../model/errors.js'
import { strictObject } from '../../../settings/schema/strict-object.js'
import { getLastEventId } from '../../../stacks/queries/watch-events.js'
import { signInCodeSchema, signInSchema, type SessionRow, type SignInView } from '../../../views/session.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import type { ApiContext } from '../../request-context.js'
import { digestToken, type Authenticate } from '../../server/access.js'
import { readBounded } from '../../server/bounded-body.js'
import { readCookie, requireSameOrigin, setCookie } from '../../session/session-cookie.js'
import { sessionId, type Sessions } from '../../session/sessions.js'
import { describeOperation } from '../describe-operation.js'
import { addEndpoint, readRequest, type Api } from '../endpoint.js'

export interface SignInOptions {
  readonly call: CallUseCase
  readonly sessions: Sessions
  readonly tokenDigest: Uint8Array
  readonly version: string
}

const path = '/api/v1/session'
const tag = 'session'
const strictQuery = strictObject({})

const signInBody = strictObject({
  token: z.string().max(1_000).optional().describe('The API token.'),
  code: z.string().max(100).optional().describe('A code of `gitmoor page`, in place of the token.'),
  name: z
    .string()
    .regex(callerPattern, `must be ${callerRule}.`)
    .optional()
    .describe('Your name, for the history. Default: who created the code; with the token: `page`.'),
})

const endQuery = z.object({
  id: z.string().max(64).optional().describe('The session to end. Default: the session of this browser.'),
})

/** Routes that need no token: who is signed in, sign in, sign out. */
export function addSessionRoutes(api: Api, options: SignInOptions): void {
  const { sessions } = options
  const bodies = { bytes: 4_096, ms: 10_000, budget: { bytes: 256 * 1024 } }
  describe(api)
  api.get(path, async (c) => c.json(await view(await currentSession(c, sessions), options)))
  api.post(path, async (c) => {
    sessions.attempt(c.env?.client ?? '')
    c.set('body', await readBounded(c, bodies))
    const { body } = await readRequest(c, { body: signInBody, strictQuery })
    const by = allowedName(body, options)
    if (by === undefined) throw refusedSignIn(body)
    const { value, session } = await sessions.create(body.name ?? by)
    c.set('by', session.name)
    setCookie(c, sessions.cookie, value)
    return c.json(await view(session, options), 201)
  })
  const strictEnd = strictObject(endQuery.shape)
  api.delete(path, async (c) => {
    requireSameOrigin(c)
    const { query } = await readRequest(c, { query: endQuery, strictQuery: strictEnd })
    const session = await currentSession(c, sessions)
    if (session === undefined) throw notSignedIn()
    const id = query.id ?? sessionId(session)
    if (!(await sessions.end(id))) throw unknownSession(id)
    const isOwn = id === sessionId(session)
    if (isOwn) setCookie(c, sessions.cookie)
    return c.json(await view(isOwn ? undefined : session, options))
  })
}

/** POST /api/v1/session/code, which needs the token. */
export function addSignInCodeRoute(api: Api, sessions: Sessions): void {
  const issue = {
    method: 'post',
    path: `${path}/code`,
    tag,
    operationId: 'createSignInCode',
    role: 'admin',
    summary: 'Create a code that signs a browser in.',
    description:
      'It works once, within 60 s, in the fragment of `/sign-in#code=CODE`. ' +
      'The session has the name in `X-Gitmoor-By` of this request.',
    answer: signInCodeSchema,
  } as const
  addEndpoint(api, issue, async ({ by }) => {
    const { code, expiresAt } = sessions.issueCode(by)
    return { code, expiresAt: new Date(expiresAt).toISOString() }
  })
}

/** The session of the cookie of a request; undefined: none is valid. */
export async function currentSession(c: ApiContext, sessions: Sessions): Promise<Session | undefined> {
  const value = readCookie(c, sessions.cookie)
  return value === undefined ? undefined : sessions.find(value)
}

/** Accepts the cookie for requests of the page to /api/v1. Errors: `Refused` api/other-origin. */
export function authenticateSession(sessions: Sessions): Authenticate {
  return async (c) => {
    if (!c.req.path.startsWith('/api/v1/') || c.req.path === `${path}/code`) return undefined
    const session = await currentSession(c, sessions)
    if (session !== undefined && c.req.method !== 'GET' && c.req.method !== 'HEAD') requireSameOrigin(c)
    return session?.name
  }
}

/** The name of a session without a given one; undefined: the token or the code is wrong. */
function allowedName(
  { token, code }: z.output<typeof signInBody>,
  { sessions, tokenDigest }: SignInOptions,
): string | undefined {
  if (token !== undefined) return timingSafeEqual(digestToken(token), tokenDigest) ? 'page' : undefined
  return code === undefined ? undefined : sessions.redeemCode(code)
}

async function view(session: Session | undefined, { call, sessions, version }: SignInOptions): Promise<SignInView> {
  if (session === undefined) return { session: null }
  const lastEventId = call(getLastEventId)
  return { session: toRow(session), version, sessions: (await sessions.list()).map(toRow), lastEventId }
}

function toRow(session: Session): SessionRow {
  const text = (at: number): string => new Date(at).toISOString()
  return {
    id: sessionId(session),
    name: session.name,
    createdAt: text(session.createdAt),
    usedAt: text(session.usedAt),
    endsAt: text(sessionEnd(session)),
  }
}

function refusedSignIn({ token, code }: z.output<typeof signInBody>): Refused {
  const message =
    token !== undefined
      ? 'The token is wrong.'
      : code !== undefined
        ? 'The code was used before, or is older than 60 s.'
        : 'A token or a code is needed.'
  const hint = 'Run `gitmoor page`, or take `token` from agent.json in the data directory of the agent.'
  return new Refused('auth', message, { code: 'api/sign-in', hint })
}

function notSignedIn(): Refused {
  return new Refused('auth', 'You are not signed in.', { code: 'api/session', hint: 'Sign in again.' })
}

function unknownSession(id: string): Refused {
  return new Refused('not-found', `No session has the id ${id}.`, {
    code: 'api/session-not-found',
    hint: 'It may have ended. GET /api/v1/session lists the sessions.',
  })
}

function describe(api: Api): void {
  const about = { path, tag, answer: signInSchema } as const
  describeOperation(api, {
    ...about,
    method: 'get',
    operationId: 'getSession',
    role: 'none',
    summary: 'Show who is signed in.',
    description: 'Reads the cookie of the page. Needs no token.',
  })
  describeOperation(api, {
    ...about,
    method: 'post',
    operationId: 'signIn',
    role: 'none',
    summary: 'Sign in: sets the cookie of the page.',
    description:
      'With the token or a code. The session ends after 12 h without a request, and after 7 days. ' +
      'At most 5 attempts a minute from one address.',
    body: signInBody,
    status: 201,
    errors: [408, 429],
  })
  describeOperation(api, {
    ...about,
    method: 'delete',
    operationId: 'signOut',
    role: 'none',
    summary: 'End a session of the page.',
    description: 'With the cookie. Default: the session of this browser.',
    query: endQuery,
    errors: [404],
  })
}
