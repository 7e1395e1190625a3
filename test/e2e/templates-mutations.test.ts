// Slightly changed packages of users, over the API of InfluxDB: invalid ones are reported and never crash the agent;
// what is valid is applied, and applied again changes nothing.
import { describe, expect, test } from 'vitest'
import { attackShare } from '../attack/scale.js'
import { hasCorpus } from '../corpus.js'
import { mutatedPackage } from '../graph/mutated-packages.js'
import { askWire, orgOf, templates, type WireReply } from './wire-door.js'
import { isEmbedded, never, useWorld } from '../influxdb/world.js'

const rounds = attackShare(600)
const world = useWorld()

async function send(seed: number, more: object): Promise<WireReply> {
  const { path, text } = mutatedPackage(seed, 8_000)
  return templates(world(), [], { templates: [{ contentType: 'json', sources: [path], contents: text }], ...more })
}

async function appliesForGood(seed: number): Promise<void> {
  const first = await send(seed, {})
  // Of what gitmoor takes, InfluxDB refuses this alone.
  if (!isEmbedded && /expected a single field but got/.test(first.body.message)) return
  expect([seed, first.status, first.body.message]).toEqual([seed, 201, undefined])
  const { stackID } = first.body
  world().platform.reset()
  const again = await send(seed, { stackID })
  expect([seed, again.status, again.body.message, world().platform.writes]).toEqual([seed, 201, undefined, []])
  const { status } = await askWire(world(), 'DELETE', `/api/v2/stacks/${stackID}?orgID=${await orgOf(world())}`)
  expect([seed, status]).toEqual([seed, 204])
  const { items } = await world().ask.listResources({ limit: 500 }, never)
  expect([seed, items.filter(({ displayName }) => !displayName.startsWith('_'))]).toEqual([seed, []])
}

describe.skipIf(!hasCorpus)('of packages of the corpus with other values in them', () => {
  test.each([0, rounds])(
    `${rounds} from seed %i are refused with their errors, or are applied once and for all`,
    { timeout: 60_000 + rounds * 3_000 },
    async (first) => {
      const seen = { applied: 0, refused: 0 }
      for (let seed = first; seed < first + rounds; seed++) {
        const { status, body } = await send(seed, { dryRun: true })
        expect([200, 422], `seed ${seed}: ${status} ${body.message}`).toContain(status)
        seen[status === 200 ? 'applied' : 'refused']++
        if (status === 422)
          expect([seed, body.code, body.message === ''].join()).toBe([seed, 'unprocessable entity', false].join())
        else await appliesForGood(seed)
      }
      expect(Math.min(seen.applied, seen.refused)).toBeGreaterThan(rounds / 20)
    },
  )
})
