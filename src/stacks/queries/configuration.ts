// The configuration of the agent as it was read.
import { invalidCursor } from '../../model/cursor.js'
import type { ConfigurationPage } from '../../views/configuration.js'
import type { Context } from '../context.js'
import { viewConfiguration } from '../doctor/configuration-checks.js'
import { nextCursor, type Paging } from '../paging.js'

/** `section`: a key of the file, such as `limits`. Default: all. */
export async function getConfiguration(
  context: Context,
  { section, limit = 100, after }: Paging & { readonly section?: string },
): Promise<ConfigurationPage> {
  const status = context.configuration()
  const values = status.values.filter(({ path }) => section === undefined || sectionOf(path) === section)
  const from = after === undefined ? 0 : values.findIndex(({ path }) => path === after) + 1
  if (after !== undefined && from === 0) throw invalidCursor(after)
  const items = values.slice(from, from + limit)
  const next = from + limit < values.length ? nextCursor(items, limit, ({ path }) => path) : null
  return { configuration: viewConfiguration(status), items, next }
}

function sectionOf(path: string): string {
  return /^[^.[]+/.exec(path)?.[0] ?? ''
}
