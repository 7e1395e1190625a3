import { z } from '@hono/zod-openapi'
import type { Overriding } from '../stacks/gate.js'

const whyDescription =
  'Why the window is overridden; needed with `overrideWindow`. The run records it; where there is none, the stack: `explain` shows it.'
const overrideDescription =
  'Write though a sync window closes the stack. Without it such a request is refused (409, `stacks/window-closed`).'

const why = z.string().max(500).optional().openapi({ description: whyDescription })

/** Fields of a body that let it write though a sync window is closed. */
export const overridingShape = {
  overrideWindow: z.boolean().optional().openapi({ description: overrideDescription }),
  why,
}

/** The same in a query. */
export const overridingQuery = {
  overrideWindow: z.enum(['true', 'false']).optional().openapi({ description: overrideDescription }),
  why,
}

export function overridingOf(asked: {
  readonly overrideWindow?: boolean | 'true' | 'false' | undefined
  readonly why?: string | undefined
}): Overriding {
  return asked.overrideWindow === true || asked.overrideWindow === 'true' ? { overrideWindow: asked.why ?? '' } : {}
}

/** As a last argument; none where nothing is overridden. */
export function overridingArguments(asked: Parameters<typeof overridingOf>[0]): readonly [Overriding?] {
  const options = overridingOf(asked)
  return options.overrideWindow === undefined ? [] : [options]
}
