import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { openDoor } from '../request-api.js'

test('openapi.json is valid OpenAPI 3.1', async () => {
  const metrics = { type: 'text/plain', print: async () => '', public: false }
  const { body } = await openDoor({}, { metrics, backups: {} as never }).request('GET', '/api/v1/openapi.json')
  const validator = new Validator()
  expect(await validator.validate(body)).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})
