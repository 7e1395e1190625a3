// One package on two organisations of the embedded platform, which come and go with the configuration file.
import { expect, test } from 'vitest'
import { fleetDocument, toFleetSpec } from '../../../src/settings/documents/fleet-document.js'
import { until } from '../../e2e/until.js'
import { bucket, yaml } from '../packages.js'
import { never, onlyEmbedded, useWorld } from '../world.js'

function target(organisation: string, env: string) {
  return { platform: 'embedded', labels: { env }, settings: { organisation } }
}

const targets = { eu1: target('eu1', 'prod'), us1: target('us1', 'prod'), lab: target('lab', 'test') }
const world = useWorld({ changed: { targets } })

/** Reads a configuration file with these targets and the fleet `boards` on those of production. */
async function reload(declared: Readonly<Record<string, ReturnType<typeof target>>>): Promise<void> {
  const sources = [{ url: world().url, ref: 'stable', path: 'package.yml' }]
  const document = { name: 'boards', targets: { selector: 'env=prod' }, template: { sources } }
  const boards = toFleetSpec(fleetDocument.parse(document))
  await world().reload({ changed: { targets: declared, fleets: [boards] } })
}

/** Lets time pass until the stacks have these states. */
async function settled(states: Readonly<Record<string, string>>): Promise<void> {
  await until('the stacks are as the targets say', async () => {
    world().clock.advance(10_000)
    const { items } = await world().ask.listStacks({})
    return (
      JSON.stringify(Object.fromEntries(items.map(({ name, status }) => [name, status.state]))) ===
      JSON.stringify(states)
    )
  })
}

test('a stack for each target comes and goes with the file, and nothing is deleted by itself', async () => {
  onlyEmbedded('The test declares organisations of the embedded platform as targets.')
  await world().push(bucket('raw'), 'stable')
  await reload(targets)
  await settled({ 'boards.eu1': 'Synced', 'boards.us1': 'Synced' })
  expect([await world().names('eu1'), await world().names('us1'), await world().names('lab')]).toEqual([
    ['Bucket/raw'],
    ['Bucket/raw'],
    [],
  ])

  const { us1, ...rest } = targets
  await reload({ ...rest, ap1: target('ap1', 'prod') })
  await settled({ 'boards.ap1': 'Synced', 'boards.eu1': 'Synced', 'boards.us1': 'Suspended' })
  const { message } = (await world().ask.getStack('boards.us1')).status
  expect(message).toBe('Suspended: target us1 of fleet boards is no longer declared.')
  expect(await world().ask.getFleet('boards')).toMatchObject({ stacks: 3, undeclared: 1, listing: { targets: 2 } })

  await world().push(yaml(bucket('raw'), bucket('day')), 'stable')
  await until('the others follow the tag', async () => {
    world().clock.advance(10_000)
    return (await world().names('eu1')).length === 2 && (await world().names('ap1')).length === 2
  })

  await reload({ ...targets, ap1: target('ap1', 'prod') })
  await settled({ 'boards.ap1': 'Synced', 'boards.eu1': 'Synced', 'boards.us1': 'Synced' })
  expect(await world().names('us1')).toEqual(['Bucket/day', 'Bucket/raw'])

  await reload({ eu1: targets.eu1, us1 })
  await settled({ 'boards.ap1': 'Suspended', 'boards.eu1': 'Synced', 'boards.us1': 'Synced' })
  await world().ask.deleteStack('boards.ap1', { by: 'ann' }, never)
  await settled({ 'boards.eu1': 'Synced', 'boards.us1': 'Synced' })
})
