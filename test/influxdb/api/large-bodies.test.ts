// Large bodies are read in a thread; what comes of them is the same.
import { expect, test } from 'vitest'
import type { TemplateRequest } from '../../../src/influxdb/templates/templates.js'
import { type Answer } from '../../api/request-api.js'
import { openTemplateDoor } from './sample-templates.js'

const orgID = '0a1b2c3d4e5f6071'
const contents = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    apiVersion: 'influxdata.com/v2alpha1',
    kind: 'Label',
    metadata: { name: `l${at}` },
  }))

async function dryRun(
  body: unknown,
  type = 'application/json',
): Promise<{ readonly answer: Answer; readonly request: TemplateRequest | undefined }> {
  const door = openTemplateDoor()
  const answer = await door.request('POST', '/api/v2/templates/apply', body, { 'Content-Type': type })
  return { answer, request: door.calls[0]?.args[0] as TemplateRequest | undefined }
}

test.each([10, 5_000])('a body of %i objects is handed on as the text of its package', async (count) => {
  const { request } = await dryRun({
    dryRun: true,
    orgID,
    template: { contents: contents(count) },
    envRefs: { a: 1 },
    secrets: { key: 'value' },
  })
  expect(request!.packages).toEqual([{ sources: [], contentType: 'json', text: JSON.stringify(contents(count)) }])
  expect(request).toMatchObject({ orgID, values: { a: 1 }, secrets: { key: 'value' } })
})

test.each<readonly [what: string, body: unknown, message: string]>([
  ['is cut off', `{"dryRun": true, "x": "${'x'.repeat(100_000)}`, 'The body cannot be read as JSON.'],
  ['is nested too deeply', '['.repeat(100_000), 'The body holds lists or maps more than 100 deep.'],
  ['is no map', JSON.stringify(contents(5_000)), 'The body must be a map.'],
  ['has too many values', `[${'1,'.repeat(2_200_000)}1]`, 'The body holds more than 2100000 values.'],
  [
    'has too many actions',
    { orgID, actions: Array.from({ length: 60_000 }, () => ({ action: 'skipKind', properties: { kind: 'Label' } })) },
    'The body holds more than 50000 packages, sources, actions, values and secrets.',
  ],
])('a large body that %s is refused like a small one', async (_, body, message) => {
  expect((await dryRun(body)).answer).toMatchObject({ status: 400, body: { code: 'invalid', message } })
})
