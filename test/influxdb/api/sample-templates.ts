// InfluxDB's API over answers written by hand, beside those of gitmoor's own.
import { influxdbApi } from '../../../src/influxdb/api/api.js'
import type { OrganisationView, TemplateStackView } from '../../../src/influxdb/templates/template-stack.js'
import type { TemplateAnswer } from '../../../src/influxdb/templates/templates.js'
import type { Ask } from '../../ask.js'
import { openDoor, type Door } from '../../api/request-api.js'
import type { TemplateAsk } from '../ask.js'

export const sampleRecord: TemplateStackView = {
  id: '0a0b0c0d0e0f0102',
  orgID: '00c0ffee00c0ffee',
  createdAt: 1_790_000_000_000,
  events: [
    {
      eventType: 'create',
      run: '12',
      name: 'boards',
      description: 'What the boards need',
      resources: [
        {
          apiVersion: 'influxdata.com/v2alpha1',
          resourceID: '00000000000000a1',
          kind: 'Bucket',
          templateMetaName: 'raw',
          associations: [{ kind: 'Label', metaName: 'red' }],
        },
      ],
      sources: ['https://git.example/boards'],
      urls: [],
      updatedAt: 1_790_000_000_000,
    },
  ],
}

export const sampleOrganisation: OrganisationView = { id: '00c0ffee00c0ffee', name: 'embedded', target: 'local' }

export const sampleAnswer: TemplateAnswer = {
  sources: ['file://a.yml'],
  stackID: '',
  diff: { buckets: [] },
  summary: { buckets: [] },
}

const answers: TemplateAsk = {
  createTemplateStack: async () => sampleRecord,
  listTemplateStacks: async () => [sampleRecord],
  getTemplateStack: async () => sampleRecord,
  changeTemplateStack: async () => sampleRecord,
  dryRunTemplate: async () => ({ answer: sampleAnswer }),
  applyTemplate: async () => ({ answer: sampleAnswer }),
  listOrganisations: async () => [sampleOrganisation],
}

export function openTemplateDoor(
  changed: Partial<Ask & TemplateAsk> = {},
  options: Parameters<typeof openDoor>[1] = {},
): Door {
  return openDoor({ ...answers, ...changed }, { extensions: [influxdbApi], ...options })
}
