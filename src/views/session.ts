// Sessions of the page.
import { z } from '@hono/zod-openapi'
import { list, orNull, time, type View } from './view.js'

const sessionRowSchema = z
  .object({
    id: z.string().describe('Names the session; it does not sign in.'),
    name: z.string().describe('The person, as they gave their name. Not authenticated.'),
    createdAt: time.describe('When the person signed in: RFC 3339, UTC.'),
    usedAt: time.describe('The last request, to the minute: RFC 3339, UTC.'),
    endsAt: time.describe('When it ends without another request: RFC 3339, UTC.'),
  })
  .openapi('Session', { description: 'A browser that is signed in.' })

export type SessionRow = View<typeof sessionRowSchema>

export const signInSchema = z
  .object({
    session: orNull(sessionRowSchema).describe('The session of this browser; null: it is not signed in.'),
    version: z.string().optional().describe('The version of gitmoor. Only with a session.'),
    sessions: list(sessionRowSchema).optional().describe('All sessions, the last used one first. Only with a session.'),
    lastEventId: z
      .string()
      .optional()
      .describe('Watch events after it: none is missed between this answer and the stream. Only with a session.'),
  })
  .openapi('SignIn', { description: 'Who is signed in.' })

export type SignInView = View<typeof signInSchema>

export const signInCodeSchema = z
  .object({
    code: z.string().describe('Signs in once.'),
    expiresAt: time.describe('RFC 3339, UTC.'),
  })
  .openapi('SignInCode', { description: 'Signs a browser in, once, within 60 s.' })

export type SignInCode = View<typeof signInCodeSchema>
