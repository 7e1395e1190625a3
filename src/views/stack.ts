// A stack: its settings, its status, and what it owns.
import { z } from '@hono/zod-openapi'
import type { ManagedBy } from '../model/stacks/stack-owner.js'
import { settingAnswers } from '../settings/setting-answers.js'
import { sourceAnswerShapes } from '../settings/documents/source-document.js'
import { linksSchema } from './links.js'
import { page } from './page.js'
import { problemSchema } from './errors/problem.js'
import { phaseSchema, runRowSchema } from './run.js'
import { statusSchema } from './status.js'
import { address, list, orNull, time, versions, type View } from './view.js'

const conditionSchema = z.object({
  type: z.enum(['Ready', 'Reconciling', 'Stalled', 'Healthy']).describe('As in the conditions of Kubernetes.'),
  status: z.boolean().describe('Whether it applies now.'),
  reason: z.string().describe('One word for programs.'),
  message: z.string().describe('One sentence for people.'),
})

const { git, url, directory, inline } = sourceAnswerShapes
const observed = {
  revision: z.string().nullable().describe('Its newest observed revision.'),
  tag: z.string().optional().describe('The chosen tag, if `ref` is a version range.'),
}
const observedSourceSchema = z.discriminatedUnion('kind', [
  z.object({ ...git, ...observed, links: linksSchema.optional() }),
  z.object({ ...url, ...observed }),
  z.object({ ...directory, ...observed }),
  z.object({ ...inline, ...observed }),
])

const unhealthySchema = z.object({
  count: z.int().describe('How many resources do not work.'),
  first: list(
    z.object({ address, reason: z.string().describe('Why the resource does not work: one sentence.') }),
  ).describe('The first 5 of them, by address.'),
  since: time.nullable().describe('When a check first found one, through all checks since: RFC 3339, UTC.'),
})

const rowShape = {
  name: z.string().describe('Unique; commands and paths use it.'),
  displayName: z.string().describe('The name that people see.'),
  labels: z.record(z.string(), z.string()).describe('They select stacks in commands and lists.'),
  id: z.string().describe('16 hex digits.'),
  managedBy: z
    .string()
    .regex(/^(api|file|fleet:[a-z0-9-]{1,63})$/, 'must be api, file or fleet:NAME.')
    .describe(
      '`file`: the configuration file declares it; `fleet:NAME`: a fleet. Requests cannot change its settings.',
    ) as z.ZodType<unknown> as z.ZodType<ManagedBy>,
  createdAt: time.describe('RFC 3339, UTC.'),
  etag: z
    .string()
    .describe(
      'Changes with its settings, `suspended`, `pinned` and pushes, for `If-Match`. The header `ETag` is the same.',
    ),
  sources: list(observedSourceSchema).describe('Where its package comes from.'),
  target: z.string().describe('The target that it writes.'),
  status: statusSchema,
  sync: z.enum(['Synced', 'OutOfSync', 'Drifted', 'Unknown']).describe('How its target compares with the package.'),
  health: z
    .enum(['Healthy', 'Progressing', 'Degraded', 'Missing', 'Unknown'])
    .describe('Whether its resources are complete.'),
  phase: phaseSchema.describe('How far its newest run is.'),
  suspended: z
    .object({
      why: z.string().describe('The given reason.'),
      by: z.string().describe('The person or program that suspended it.'),
      until: time.nullable().describe('When it resumes by itself: RFC 3339, UTC; null: never.'),
    })
    .nullable()
    .describe('null: it is not suspended.'),
  pinned: z
    .object({
      run: z.string().describe('The id of the run whose revision it keeps.'),
      revision: z.string().describe('The revision that it keeps.'),
      by: z.string().describe('The person or program that rolled it back.'),
      why: z.string().describe('The given reason; may be empty.'),
    })
    .nullable()
    .describe('The rollback that it keeps; null: it follows its sources.'),
  conditions: list(conditionSchema).describe('For programs that know the conditions of Kubernetes.'),
  revision: z
    .object({
      observed: z.string().nullable().describe('The newest that polling found and channels released; null: none.'),
      attempted: z.string().nullable().describe('What the last run tried to apply; null: none.'),
      applied: z.string().nullable().describe('What the target has; null: nothing.'),
    })
    .describe('How far the newest revision has come.'),
  versions,
  lastRun: orNull(runRowSchema).describe('The newest run; null: none yet.'),
  nextPollAt: time.nullable().describe('RFC 3339, UTC; null: no poll is planned.'),
  checkedAt: time.nullable().describe('When its target was last compared with the package; null: never.'),
  unhealthy: unhealthySchema
    .nullable()
    .describe('Resources that do not work, as `checkedAt` found them; null: none was found.'),
}

export const stackRowSchema = z
  .object(rowShape)
  .openapi('StackRow', { description: 'A stack in a list: without `resources` and `spec`.' })

export const stackPageSchema = page(stackRowSchema).extend({
  total: z.int().optional().describe('The number of stacks on all pages. Absent with `needs`: they are not counted.'),
  refused: list(problemSchema)
    .optional()
    .describe('Why stacks of the configuration file do not exist. Only in the first page of a list without filters.'),
})

export type StackPage = View<typeof stackPageSchema>

export type StackRow = View<typeof stackRowSchema>
export type SourceView = StackRow['sources'][number]

export const resourceRowSchema = z.object({
  kind: z.string().describe('Its family, such as `Dashboard`.'),
  name: z.string().describe('Its name in the package.'),
  displayName: z.string().describe('The name that people see.'),
  id: z.string().describe('Its id on the target.'),
})

/** The settings in force, with all defaults. Durations are in milliseconds. */
const settingsSchema = z
  .object({ name: z.string().describe('The name of the stack.'), ...settingAnswers })
  .openapi('StackSettings', { description: 'The settings in force, with all defaults. Durations are in milliseconds.' })

export const stackSchema = z
  .object({
    ...rowShape,
    resources: list(resourceRowSchema).describe('The resources that it owns or shares, without parts.'),
    spec: settingsSchema,
  })
  .openapi('Stack', { description: 'A stack: its settings, its status, and what it owns.' })

export type StackView = View<typeof stackSchema>
export type ResourceRow = StackView['resources'][number]
