import { z } from '@hono/zod-openapi'

/** A list that nobody changes. */
export function list<Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).readonly()
}

/** One page. `next`: give it as `after` for the page that follows; null: this was the last. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.object({ items: list(item), next: z.string().nullable() })
}

/** A whole number in a query, which is text: digits and nothing else. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number.')
    .transform(Number)
    .pipe(z.int().min(least).max(most))
}

/** Entries of one page. */
export const mostPerPage = 500

/** What every list takes. */
export const pagingShape = {
  limit: wholeNumber(1, mostPerPage)
    .default(100)
    .openapi({ type: 'integer', minimum: 1, maximum: mostPerPage, default: 100 }),
  after: z.string().max(300).optional().openapi({ description: '`next` of the page before.' }),
}

/** `Paging` of the verbs, without keys that are absent. */
export function toPaging(query: { readonly limit: number; readonly after?: string | undefined }): {
  readonly limit: number
  readonly after?: string
} {
  return query.after === undefined ? { limit: query.limit } : { limit: query.limit, after: query.after }
}
