// How the agent uses its configuration file.
import { z } from '@hono/zod-openapi'
import { problemSchema } from './errors/problem.js'
import { page } from './page.js'
import { json, list, orNull, time, type View } from './view.js'

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

const configurationValueSchema = z
  .object({
    path: z.string().describe('The key: `limits.concurrency`, `stacks[3]`.'),
    value: json.describe('A text, a number, a boolean, or an empty list or map. Of stacks and fleets: the name.'),
    secret: z.literal(true).optional().describe('`value` shows only the references in it, such as `${env:TOKEN}`.'),
    source: z
      .enum(['file', 'default', 'option'])
      .describe('`option`: the command line or the environment takes precedence over the file.'),
    line: z.int().nullable().describe('The line of the file. null: the file does not have it.'),
  })
  .openapi('ConfigurationValue', { description: 'One value of the configuration as it was read.' })

export type ConfigurationValueView = View<typeof configurationValueSchema>

export const configurationPageSchema = page(configurationValueSchema).extend({ configuration: configurationSchema })

export type ConfigurationPage = View<typeof configurationPageSchema>

export type ConfigurationView = View<typeof configurationSchema>
