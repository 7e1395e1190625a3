import type { Page } from '../../views/page.js'
import type { ClientRequest, Client } from './client.js'

/**
 * What the API pages, together: `{ items }`, at most `most` of them; `next` tells where to go on, null: that was all.
 */
export async function readPages<T>(
  client: Client,
  path: string,
  query: NonNullable<ClientRequest['query']>,
  maximum: number,
): Promise<Page<T>> {
  const items: T[] = []
  let after: string | undefined
  for (;;) {
    const limit = Math.min(500, maximum - items.length)
    const page = await client.request<Page<T>>('GET', path, { query: { ...query, limit, after } })
    items.push(...page.items)
    if (page.next === null || page.items.length === 0 || items.length >= maximum) return { items, next: page.next }
    after = page.next
  }
}

/** Where a list is wanted whole; more than this is not printed. */
export const maximumListItems = 100_000
