// A fleet: its settings, its last listing, and how its stacks change.
import { z } from '@hono/zod-openapi'
import { settingAnswers } from '../settings/setting-answers.js'
import { problemSchema } from './errors/problem.js'
import { list, time, type View } from './view.js'

const targetsSchema = z.union([
  z.object({ names: list(z.string()).describe('The names of the targets.') }),
  z.object({ selector: z.string().describe('Conditions on the labels of targets: `env=prod,!old`.') }),
])

const foundShape = {
  revision: z
    .string()
    .nullable()
    .describe('The listed revision; null: the ref could not be read, or it is a fleet of targets.'),
  directories: z.int().nullable().describe('The number of directories that match; null: it is a fleet of targets.'),
  targets: z.int().nullable().describe('The number of targets that match; null: it is a fleet of directories.'),
}

const rowShape = {
  name: z.string().describe('Unique among fleets.'),
  managedBy: z
    .enum(['api', 'file'])
    .describe('`file`: the configuration file declares it, and requests cannot change it.'),
  declared: z.boolean().describe('false: the configuration file declared it, and no longer does.'),
  createdAt: time.describe('RFC 3339, UTC.'),
  etag: z.string().describe('Changes with its settings, for `If-Match`. The header `ETag` is the same.'),
  repo: z
    .string()
    .nullable()
    .describe('The repository, without credentials: of the directories, or the first of its stacks; null: none.'),
  ref: z
    .string()
    .nullable()
    .describe('The ref of the repository that its stacks follow, and that lists the directories; null: none.'),
  target: z.string().nullable().describe('The target of its stacks; null: each target has one.'),
  targets: targetsSchema.nullable().describe('The targets that have a stack; null: it is a fleet of directories.'),
  stacks: z.int().describe('The number of its stacks.'),
  undeclared: z.int().describe('Of these, the suspended ones whose directories vanished, or whose targets left.'),
  listing: z
    .object({
      at: time.describe('When it was listed: RFC 3339, UTC.'),
      ...foundShape,
      problems: list(problemSchema).describe('Why the listing changed nothing; empty: it had no problem.'),
    })
    .nullable()
    .describe('The last listing; null: none yet.'),
}

export const fleetRowSchema = z
  .object(rowShape)
  .openapi('FleetRow', { description: 'A fleet in a list: without `spec`.' })

export type FleetRow = View<typeof fleetRowSchema>

const { sources, target, ...shared } = settingAnswers

const baseShape = {
  name: z.string().describe('The name of the fleet.'),
  maxStacks: z.int().describe('If more directories or targets match, the fleet changes nothing.'),
}

const specSchema = z
  .union([
    z.object({
      ...baseShape,
      directories: z
        .object({
          repo: z.string().describe('The repository, without credentials.'),
          ref: z.string().describe('Branch, tag, full ref, HEAD, commit, or semver:RANGE of tags.'),
          include: list(z.string()).describe('Patterns of directories; each match is a stack.'),
          exclude: list(z.string()).describe('Patterns of directories that are no stacks.'),
          name: z.string().describe('The names of the stacks, with placeholders.'),
        })
        .describe('The directories that are stacks.'),
      template: z.object({ ...shared, target }).describe('The settings of every stack. Durations are in milliseconds.'),
    }),
    z.object({
      ...baseShape,
      targets: targetsSchema.describe('The targets that have a stack, FLEET.TARGET.'),
      template: z
        .object({ ...shared, sources })
        .describe('The settings of every stack. Durations are in milliseconds.'),
    }),
  ])
  .openapi('FleetSettings', { description: 'The settings of a fleet, with all defaults.' })

export const fleetSchema = z
  .object({ ...rowShape, spec: specSchema })
  .openapi('Fleet', { description: 'One stack for each directory of a repository, or for each target.' })

export type FleetView = View<typeof fleetSchema>

export const fleetChangeSchema = z
  .object({
    stack: z.string().describe('The name of the stack.'),
    action: z
      .enum(['create', 'change', 'continue', 'join', 'suspend'])
      .describe(
        '`suspend`: its directory vanished, or its target left; `continue`: it came back; `join`: the stack exists ' +
          'already, with the same name, sources and target, as after `fleet delete`.',
      ),
    target: z.string().describe('Its target.'),
    path: z.string().nullable().describe('Its directory; null: it has no git source.'),
  })
  .openapi('FleetChange', { description: 'What a fleet does with one of its stacks.' })

export type FleetChangeView = View<typeof fleetChangeSchema>

export const fleetPlanSchema = z
  .object({
    name: z.string().describe('The name of the fleet.'),
    ...foundShape,
    changes: list(fleetChangeSchema).describe('What applying the fleet changes now; empty with problems.'),
    problems: list(problemSchema).describe('Why it would change nothing; empty: it has no problem.'),
  })
  .openapi('FleetPlan', { description: 'How the stacks of a fleet would change.' })

export type FleetPlanView = View<typeof fleetPlanSchema>
