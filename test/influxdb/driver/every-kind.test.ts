// A resource of each kind through the driver, by whole syncs: made, made again, changed, removed. The embedded platform
// has these tests in test/e2e.
import { expect, test } from 'vitest'
import { everyKind, type Thing } from '../../e2e/every-kind.js'
import { useWorld } from '../../e2e/world.js'
import { useServer } from '../use-server.js'

const world = useWorld({ secrets: { environment: ['ROUTING', 'CHAT'], files: [] } }, useServer())

const all = everyKind()
const ofEachKind = all.filter(({ kind }, at) => all.findIndex((one) => one.kind === kind) === at)

/** What the thing names, and what that names. */
function neededBy({ spec }: Thing): readonly Thing[] {
  const labels = (spec['associations'] ?? []) as readonly { readonly name: string }[]
  const names = [...labels.map(({ name }) => name), spec['endpointName']]
  const needed = all.filter(({ metadata }) => names.includes(metadata.name))
  return needed.flatMap((one) => [...neededBy(one), one])
}

const printed = (things: readonly Thing[]): string =>
  [...new Set(things)].map((one) => JSON.stringify(one)).join('\n---\n')

test.each(ofEachKind.map((thing) => [thing.kind, thing] as const))(
  'a %s is made once, changed under its id, and removed',
  async (kind, thing) => {
    world().environment.set('ROUTING', 'the routing key').set('CHAT', 'the token')
    const rest = [all.find(({ metadata }) => metadata.name === 'spare')!, ...neededBy(thing)].filter(
      (one) => one.metadata.name !== thing.metadata.name,
    )
    const secrets = { routing: '${env:ROUTING}', 'chat-token': '${env:CHAT}' }
    await world().push(printed([...rest, thing]))
    expect((await world().create('boards', { dataLoss: 'allow', secrets })).outcome).toBe('applied')
    const ids = await world().ids('boards')
    const address = Object.keys(ids).find(
      (one) => one.endsWith(`/${thing.metadata.name}`) && kind.startsWith(one.slice(0, one.indexOf('/'))),
    )!

    world().platform.reset()
    expect((await world().sync('boards')).outcome).toBe('unchanged')
    expect(world().platform.writes).toEqual([])

    const described = { ...thing, spec: { ...thing.spec, description: 'changed' } }
    await world().push(printed([...rest, described]))
    const { outcome, plan } = await world().sync('boards')
    expect([outcome, plan!.changes.map((one) => [one.action, one.address])]).toEqual(['applied', [['update', address]]])
    expect(await world().ids('boards')).toEqual(ids)

    await world().push(printed(rest))
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().ids('boards')).not.toHaveProperty(address)
    const family = address.slice(0, address.indexOf('/'))
    expect(await world().names()).not.toContain(`${family}/${thing.metadata.name}`)
  },
)
