import type { Page } from '../stacks/views.js'
import type { Asking, Client } from './client.js'

/**
 * What the API pages, together: `{ items }`, at most `most` of them; `next` tells where to go on, null: that was all.
 */
export async function askPages<T>(
  client: Client,
  path: string,
  query: NonNullable<Asking['query']>,
  most: number,
): Promise<Page<T>> {
  const items: T[] = []
  let after: string | undefined
  for (;;) {
    const limit = Math.min(500, most - items.length)
    const page = await client.ask<Page<T>>('GET', path, { query: { ...query, limit, after } })
    items.push(...page.items)
    if (page.next === null || page.items.length === 0 || items.length >= most) return { items, next: page.next }
    after = page.next
  }
}

/** Where a list is wanted whole; more than this is not printed. */
export const everything = 100_000
