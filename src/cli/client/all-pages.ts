import type { Page } from '../../views/page.js'
import type { Client, ClientRequest } from './client.js'

/** Reads all pages of a list, up to `maximum` items. `next`: the cursor of further items; null: there are none. */
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

/** The maximum for lists without `--limit`. */
export const maximumListItems = 100_000
