// A stack: its settings, its status, and what it owns.
import { z } from '@hono/zod-openapi'
import { settingAnswers } from '../settings/setting-answers.js'
import { sourceAnswerShapes } from '../settings/source-document.js'
import { phaseSchema, runRowSchema } from './run.js'
import { statusSchema } from './status.js'
import { list, orNull, time, versions, type View } from './view.js'

const conditionSchema = z.object({
  type: z.enum(['Ready', 'Reconciling', 'Stalled']),
  status: z.boolean(),
  reason: z.string(),
  message: z.string(),
})

const { git, url, directory, inline } = sourceAnswerShapes
const observed = {
  revision: z.string().nullable().openapi({ description: 'Its newest observed revision.' }),
  tag: z.string().optional().openapi({ description: 'The chosen tag, if `ref` is a version range.' }),
}
const observedSourceSchema = z.discriminatedUnion('kind', [
  z.object({ ...git, ...observed }),
  z.object({ ...url, ...observed }),
  z.object({ ...directory, ...observed }),
  z.object({ ...inline, ...observed }),
])

const rowShape = {
  name: z.string(),
  displayName: z.string(),
  labels: z.record(z.string(), z.string()),
  id: z.string(),
  managedBy: z.enum(['api', 'file']),
  createdAt: time,
  etag: z.string().openapi({
    description:
      'Changes with its settings, `suspended`, `pinned` and pushes, for `If-Match`. The header `ETag` is the same.',
  }),
  sources: list(observedSourceSchema),
  target: z.string(),
  status: statusSchema,
  sync: z.enum(['Synced', 'OutOfSync', 'Drifted', 'Unknown']),
  health: z.enum(['Healthy', 'Progressing', 'Degraded', 'Missing', 'Unknown']),
  phase: phaseSchema,
  suspended: z.object({ reason: z.string(), by: z.string(), until: time.nullable() }).nullable(),
  pinned: z.object({ run: z.string(), revision: z.string(), by: z.string(), why: z.string() }).nullable(),
  conditions: list(conditionSchema),
  revision: z.object({
    observed: z.string().nullable(),
    attempted: z.string().nullable(),
    applied: z.string().nullable(),
  }),
  versions,
  lastRun: orNull(runRowSchema),
  nextPollAt: time.nullable(),
  checkedAt: time.nullable(),
}

export const stackRowSchema = z
  .object(rowShape)
  .openapi('StackRow', { description: 'A stack in a list: without `resources` and `spec`.' })

export type StackRow = View<typeof stackRowSchema>
export type SourceView = StackRow['sources'][number]

const resourceRowSchema = z.object({ kind: z.string(), name: z.string(), displayName: z.string(), id: z.string() })

/** The settings in force, with all defaults. Durations are in milliseconds. */
const settingsSchema = z
  .object({ name: z.string(), ...settingAnswers })
  .openapi('StackSettings', { description: 'The settings in force, with all defaults. Durations are in milliseconds.' })

export const stackSchema = z
  .object({ ...rowShape, resources: list(resourceRowSchema), spec: settingsSchema })
  .openapi('Stack', { description: 'A stack: its settings, its status, and what it owns.' })

export type StackView = View<typeof stackSchema>
export type ResourceRow = StackView['resources'][number]
