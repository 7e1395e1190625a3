// One page of a list.
import { z } from '@hono/zod-openapi'
import { list } from './view.js'

export interface Page<T> {
  readonly items: readonly T[]
  /** The `after` of the next page; null: this is the last one. */
  readonly next: string | null
}

export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: list(item).describe('The entries of this page.'),
    next: z.string().nullable().describe('The `after` of the next page; null: this is the last one.'),
  })
}
