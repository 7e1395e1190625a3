import { z } from '@hono/zod-openapi'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'

const whyDescription =
  'Why the window is overridden; needed with `overrideWindow`. The run records it; where there is none, the stack: `explain` shows it.'
const overrideDescription =
  'Write though a sync window closes the stack. Without it such a request is refused (409, `stacks/window-closed`).'

const why = z.string().max(500).optional().openapi({ description: whyDescription })

/** Fields of a body that let it write though a sync window is closed. */
export const overrideShape = {
  overrideWindow: z.boolean().optional().openapi({ description: overrideDescription }),
  why,
}

/** The same in a query. */
export const overrideQuery = {
  overrideWindow: z.enum(['true', 'false']).optional().openapi({ description: overrideDescription }),
  why,
}

export function toOverride(request: {
  readonly overrideWindow?: boolean | 'true' | 'false' | undefined
  readonly why?: string | undefined
}): WindowOverrideOptions {
  return request.overrideWindow === true || request.overrideWindow === 'true'
    ? { overrideWindow: request.why ?? '' }
    : {}
}

/** As a last argument; none where nothing is overridden. */
export function overrideArguments(request: Parameters<typeof toOverride>[0]): readonly [WindowOverrideOptions?] {
  const options = toOverride(request)
  return options.overrideWindow === undefined ? [] : [options]
}
