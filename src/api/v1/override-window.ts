import { z } from '@hono/zod-openapi'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { trueOrFalse } from './paging.js'
import { optionalReason } from './reason.js'

const whyDescription =
  'Why the window is overridden. Required with `overrideWindow`. `explain` shows it, and the history if there is a run.'
const overrideDescription =
  'Write although a sync window closes the stack. Otherwise the request is refused (409, `stacks/window-closed`).'

const why = optionalReason.optional().describe(whyDescription)

/** Fields of a body that allow writes during a closed sync window. */
export const overrideShape = {
  overrideWindow: z.boolean().optional().describe(overrideDescription),
  why,
}

/** The same for a query. */
export const overrideQuery = {
  overrideWindow: trueOrFalse.optional().describe(overrideDescription),
  why,
}

export function toOverride(request: {
  readonly overrideWindow?: boolean | undefined
  readonly why?: string | undefined
}): WindowOverrideOptions {
  return request.overrideWindow === true ? { overrideWindow: request.why ?? '' } : {}
}

/** Options as the last argument; absent if there are none. */
export function optionArguments<Options extends object>(options: Options): readonly [Options?] {
  return Object.keys(options).length === 0 ? [] : [options]
}
