// Values in queries, which are text, and the query of every list.
import { z } from '@hono/zod-openapi'

/** A whole number in a query, which is text: digits and nothing else. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number.')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
}

/** A boolean in a query: `true` or `false` and nothing else. */
export const trueOrFalse = z
  .enum(['true', 'false'])
  .transform((word) => word === 'true')
  .openapi({ type: 'boolean' })

/** Entries of one page. */
export const mostPerPage = 500

/** The query of every list. */
export const pagingShape = {
  limit: wholeNumber(1, mostPerPage)
    .default(100)
    .openapi({ type: 'integer', minimum: 1, maximum: mostPerPage, default: 100, description: 'Entries of a page.' }),
  after: z
    .string()
    .max(4_000)
    .optional()
    .describe('`next` of the previous page. The filters and the sort must be the same.'),
}
