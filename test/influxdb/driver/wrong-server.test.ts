// What a target says whose address or token is not one: the message names the setting at fault.
import { expect, test } from 'vitest'
import { findOrganisation } from '../../../src/influxdb/driver/server/server.js'
import type { Documents } from '../../../src/platform/documents.js'
import { never } from '../../source/git-world.js'
import { openHttpApi, sendJson } from './http-api.js'
import { openInfluxdb, targetOf } from './server.js'

const unauthorized = [{ code: 'unauthorized', message: 'unauthorized access' }, 401] as const
const noPath = [{ code: 'not found', message: 'path not found' }, 404] as const
const noOrganisations = [{ orgs: [] }, 200] as const
const influxdb = [{ name: 'influxdb', status: 'pass' }, 200] as const

type Answer = readonly [body: unknown, status: number]

test.each<[string, Answer, Answer, string]>([
  ['another server that refuses the token', unauthorized, [{ name: 'gitmoor' }, 200], 'influxdb/no-api'],
  ['a path below the address', noPath, noPath, 'influxdb/no-api'],
  ['another server without organisations', noOrganisations, [{ ok: true }, 200], 'influxdb/no-api'],
  ['an InfluxDB that refuses the token', unauthorized, influxdb, 'influxdb/token-refused'],
  ['an InfluxDB whose /health a proxy hides', unauthorized, noPath, 'influxdb/token-refused'],
  ['an InfluxDB without this organisation', noOrganisations, influxdb, 'influxdb/no-organisation'],
])('%s', async (_, orgs, health, code) => {
  await using api = await openHttpApi((request, response) =>
    sendJson(response, ...(request.url === '/health' ? health : orgs)),
  )
  await expect(findOrganisation(api.client, 'main', never)).rejects.toMatchObject({ code })
})

test.each(['secret\u0007', 'one\ntwo', 'tökén'])('a token that no header can have: %j', async (token) => {
  const { platform, close } = openInfluxdb({} as Documents, { url: 'http://127.0.0.1:1', token })
  const connecting = platform.connect(targetOf('prod', { url: 'http://127.0.0.1:1', token }, 'main'), never)
  await expect(connecting).rejects.toMatchObject({
    code: 'influxdb/token-characters',
    message: 'The token of target prod has a character that no header of a request can have.',
    refusesAccess: true,
  })
  await close()
})
