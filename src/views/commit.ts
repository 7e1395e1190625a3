// A commit of a repository, as its author wrote it.
import { z } from '@hono/zod-openapi'
import { linksSchema } from './links.js'
import { list, time, type View } from './view.js'

export const authoredSchema = z.object({
  name: z.string().describe('The author.'),
  email: z.string().describe('Of the author.'),
  at: time.nullable().describe('RFC 3339, UTC; null: the time is not valid.'),
  message: z.string().describe('The first 4,000 characters.'),
})

export type AuthoredView = View<typeof authoredSchema>

const commitSchema = authoredSchema
  .extend({ id: z.string().describe('40 hex digits.') })
  .openapi('Commit', { description: 'A commit of a repository, as its author wrote it.' })

export const commitRangeSchema = z
  .object({
    items: list(commitSchema).describe('The commits, the nearest to `to` first.'),
    more: z.boolean().describe('There are more, which were not read.'),
    links: linksSchema.optional(),
  })
  .openapi('CommitRange', { description: 'The commits of one commit without those of another.' })

export type CommitRangeView = View<typeof commitRangeSchema>
export type CommitView = CommitRangeView['items'][number]
