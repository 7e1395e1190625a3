import { query, withQuery } from '../lib/route.js'
import { visible } from '../lib/text.js'
import { Icon } from './icon.js'
import { Link } from './link.js'

/** Filters of the address that no field of the view shows, each with a way to remove it. Of a channel: its ref. */
export function FilterChips({ keys }: { readonly keys: readonly string[] }) {
  const shown = keys.filter((key) => query.value.has(key))
  return (
    <>
      {shown.map((key) => (
        <Link key={key} class="chip" to={withQuery({ [key]: '' })} aria-label={`Remove the filter ${key}`}>
          {key}: {visible(query.value.get(key)?.split('#').at(-1) ?? '')}
          <Icon name="close" size={12} />
        </Link>
      ))}
    </>
  )
}
