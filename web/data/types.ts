// Types of the API that several views use.
import type { z } from '@hono/zod-openapi'
import type { countsSchema } from '../../src/views/plan.js'
import type { Page } from '../../src/views/page.js'

export type {
  ChannelView,
  DecisionView,
  MoveView,
  PinPreview,
  PromotionView,
  VetoPreview,
} from '../../src/views/channel.js'
export type { Diagnosis } from '../../src/views/diagnosis.js'
export type { DriftView, Explanation, ResourceDetail, StackResource } from '../../src/views/explanation.js'
export type { PlanView } from '../../src/views/plan.js'
export type { DeletedStackView, RunRow, RunView, StackRunRow } from '../../src/views/run.js'
export type { StackRow, StackView } from '../../src/views/stack.js'
export type { TargetView } from '../../src/views/target.js'
export type { DeliveryView, WebhookView } from '../../src/views/webhook.js'
export type { Page }

export type CountsView = z.output<typeof countsSchema>
