import { z } from '@hono/zod-openapi'
import { findingSchema } from './errors/problem.js'
import { jsonObject, list, orNull, type View } from './view.js'

const name = z.string().describe('As the configuration file declares it.')
const platform = z.string().describe('The type of system: `embedded`, ….')

/** A declared target. */
export const targetSchema = z
  .object({
    name,
    platform,
    labels: z.record(z.string(), z.string()).describe('Words that select targets.'),
    stacks: z.int().describe('The number of stacks on it.'),
    refused: orNull(findingSchema).describe('Why gitmoor does not use it, although it is declared. null: it does.'),
  })
  .catchall(z.unknown().describe('A setting of the platform, as the configuration file declares it.'))
  .openapi('Target', { description: 'A declared target, with the settings of its platform. Nothing connects to it.' })

export type TargetView = View<typeof targetSchema>

export const targetTestSchema = z
  .object({
    name,
    platform,
    ok: z.boolean().describe('It answered. Warnings do not count.'),
    ms: z.int().describe('Milliseconds until the answer or the failure.'),
    about: jsonObject.describe('What the system says of itself, such as `version`. Empty: nothing, or it failed.'),
    warnings: list(findingSchema).describe('Such as missing rights, or an unknown version.'),
    problem: orNull(findingSchema).describe('Why it failed. null: it answered.'),
  })
  .openapi('TargetTest', { description: 'A connection to a target and the first page of its resources.' })

export type TargetTestView = View<typeof targetTestSchema>
