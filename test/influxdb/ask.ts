// The use cases of InfluxDB's API, as tests call them: `askTemplates(world().call).listOrganisations()`.
import { listOrganisations } from '../../src/influxdb/templates/organisations.js'
import {
  changeTemplateStack,
  createTemplateStack,
  getTemplateStack,
  listTemplateStacks,
} from '../../src/influxdb/templates/template-stacks.js'
import { applyTemplate, dryRunTemplate } from '../../src/influxdb/templates/templates.js'
import type { CallUseCase } from '../../src/webhooks/call-use-case.js'
import { bindUseCases, type Bound } from '../ask.js'

export const templateUseCases = {
  applyTemplate,
  changeTemplateStack,
  createTemplateStack,
  dryRunTemplate,
  getTemplateStack,
  listOrganisations,
  listTemplateStacks,
}

export type TemplateAsk = Bound<typeof templateUseCases>

export function askTemplates(call: CallUseCase): TemplateAsk {
  return bindUseCases(templateUseCases, call)
}
