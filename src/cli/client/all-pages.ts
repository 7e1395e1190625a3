import type { Page } from '../../views/page.js'
import type { Client, ClientRequest } from './client.js'

/**
 * Reads all pages of a list, up to `maximum` items. `next`: the cursor of further items; null: there are none. `More`:
 * further fields, of the first page.
 */
export async function readPages<T, More extends object = object>(
  client: Client,
  path: string,
  query: NonNullable<ClientRequest['query']>,
  maximum: number,
): Promise<Page<T> & Partial<More>> {
  const items: T[] = []
  let first: (Page<T> & Partial<More>) | undefined
  let after: string | undefined
  for (;;) {
    const limit = Math.min(500, maximum - items.length)
    const page = await client.request<Page<T> & Partial<More>>('GET', path, { query: { ...query, limit, after } })
    first ??= page
    items.push(...page.items)
    if (page.next === null || page.items.length === 0 || items.length >= maximum)
      return { ...first, items, next: page.next }
    after = page.next
  }
}

/** The maximum for lists without `--limit`. */
export const maximumListItems = 100_000
