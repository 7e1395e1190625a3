// How the agent uses its configuration file.
import { z } from '@hono/zod-openapi'
import { problemSchema } from './errors/problem.js'
import { list, orNull, time, type View } from './view.js'

const refusedReloadSchema = z
  .object({ at: time, problems: list(problemSchema).describe('Why the file was refused.') })
  .openapi('RefusedReload', { description: 'The last reload. The former configuration is in force.' })

export const configurationSchema = z
  .object({
    file: z.string().nullable().describe('The path of --config. null: the agent runs without a file.'),
    loadedAt: time.nullable().describe('When the configuration in force was read.'),
    refused: orNull(refusedReloadSchema).describe('null: the last reload was accepted.'),
    needsRestart: list(z.string()).describe(
      'Changed keys of the file that take effect at the next start: `limits`, `allow.secrets`.',
    ),
    refusedStacks: list(problemSchema).describe('Why stacks of the file are not declared.'),
  })
  .openapi('Configuration', { description: 'How the agent uses its configuration file.' })

export type ConfigurationView = View<typeof configurationSchema>
