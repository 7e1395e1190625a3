// `If-Match`: a change of a stack or a fleet only if it is as the client read it (RFC 9110, 13.1.1).
import { FleetChanged, StackChanged } from '../../model/errors.js'
import type { Precondition } from '../../stacks/stack-tag.js'
import { getFleet } from '../../stacks/fleets/fleets.js'
import { getStack } from '../../stacks/queries/queries.js'
import type { FleetView } from '../../views/fleet.js'
import type { StackView } from '../../views/stack.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'
import { HttpRefusal } from '../http-refusal.js'

const entityTag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const entityTags = new RegExp(String.raw`^${entityTag}(?:[ \t]*,[ \t]*${entityTag})*$`)

/** The strong tags of the header. A weak tag matches nothing; `*` is any stack. Errors: `HttpRefusal` 400. */
export function readIfMatch(header: string | undefined): Precondition {
  if (header === undefined || header.trim() === '*') return {}
  if (!entityTags.test(header.trim()))
    throw new HttpRefusal(400, 'The header If-Match is not a list of entity tags.', {
      code: 'api/if-match',
      hint: 'Send the header ETag of the stack or the fleet as it is, with its quotes.',
    })
  return { ifMatch: header.match(new RegExp(entityTag, 'g'))!.filter((tag) => !tag.startsWith('W/')) }
}

/** For operations that do not check it: an ignored precondition would be a surprise. */
export function refuseIfMatch(header: string | undefined): void {
  if (header === undefined) return
  throw new HttpRefusal(400, 'If-Match is not supported for this operation.', {
    code: 'api/if-match',
    hint: 'Only operations that change one stack or one fleet check it.',
  })
}

/** 412, with the stack or the fleet as it is now. */
export class PreconditionFailed extends HttpRefusal {
  readonly current: StackView | FleetView
  constructor({ message, code, hint }: StackChanged | FleetChanged, current: StackView | FleetView) {
    super(412, message, { code, ...(hint === undefined ? {} : { hint }) })
    this.current = current
  }
}

/** The same calls, whose `StackChanged` and `FleetChanged` become `PreconditionFailed`. */
export function withCurrentStack(call: CallUseCase): CallUseCase {
  const changing = (...given: Parameters<CallUseCase>): unknown => {
    const answer: unknown = call(...given)
    if (!(answer instanceof Promise)) return answer
    return answer.catch(async (error: unknown) => {
      if (error instanceof StackChanged) throw new PreconditionFailed(error, await call(getStack, error.stackId))
      if (error instanceof FleetChanged) throw new PreconditionFailed(error, await call(getFleet, error.fleet))
      throw error
    })
  }
  return changing as CallUseCase
}
