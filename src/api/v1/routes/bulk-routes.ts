import { z } from '@hono/zod-openapi'
import { Refused } from '../../../model/errors.js'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { suspensionRange } from '../../../settings/schema/interval.js'
import { strictObject } from '../../../settings/schema/strict-object.js'
import { mostNameCharacters } from '../../../settings/setting-forms.js'
import { runBulk, type BulkCommand } from '../../../stacks/bulk/bulk.js'
import { bulkSchema } from '../../../views/bulk.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { optionalReason } from '../reason.js'
import { mostNames } from '../stack-listing.js'

const bulkBody = strictObject({
  verb: z.enum(['sync', 'suspend', 'resume']).describe('What to do with each stack.'),
  names: z
    .array(z.string().min(1).max(mostNameCharacters))
    .min(1)
    .max(mostNames)
    .describe(`Names of stacks, at most ${mostNames}.`),
  why: optionalReason.optional().describe('The reason of a suspension: required with `suspend`.'),
  forMs: z
    .int()
    .min(suspensionRange.least)
    .max(suspensionRange.most)
    .optional()
    .describe('With `suspend`: milliseconds until the stacks resume by themselves.'),
})

/** One command for several named stacks. */
export function addBulkRoute(api: Api, call: CallUseCase): void {
  const bulk = {
    method: 'post',
    path: '/api/v1/bulk',
    operationId: 'runBulk',
    role: 'approve',
    summary: 'Sync, suspend or resume several named stacks, with a result for each.',
    description:
      'A refused stack does not stop the others: its result has the error. A sync does not wait for its run.',
    tag: 'stacks',
    body: bulkBody,
    answer: bulkSchema,
  } as const
  addEndpoint(api, bulk, ({ body, by, signal }) => call(runBulk, toCommand(body), body.names, by, signal))
}

function toCommand({ verb, why = '', forMs }: z.output<typeof bulkBody>): BulkCommand {
  if (verb !== 'suspend') return { verb }
  if (why.trim() === '')
    throw new Refused('usage', 'A suspension needs a reason.', {
      code: 'api/invalid',
      hint: 'Send `why` with the reason.',
    })
  return { verb, why: why.trim(), ...withoutUndefined({ forMs }) }
}
