// Pages of a list that are read one after the other, by a button.
import { useState } from 'preact/hooks'
import { message } from '../actions.js'
import { call } from '../data/call.js'

interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** The entries that were read, and the button that reads more; null: there are no more. `path`: below /api/v1. */
export function useMorePages<Item>(first: PageOf<Item>, path: string) {
  const [more, setMore] = useState<readonly PageOf<Item>[]>([])
  const pages = [first, ...more]
  const { next } = pages.at(-1)!
  const readMore = (): void => {
    call<PageOf<Item>>('GET', `${path}&after=${encodeURIComponent(next ?? '')}`).then(
      (page) => setMore([...more, page]),
      (error: Error) => (message.value = { text: error.message }),
    )
  }
  const button = next !== null && (
    <div class="more">
      <button type="button" class="btn" onClick={readMore}>
        Show more
      </button>
    </div>
  )
  return { items: pages.flatMap(({ items }) => items), button }
}
