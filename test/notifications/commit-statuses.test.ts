// Commit statuses of an agent, posted to servers with the documented API of each Git host.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Configuration } from '../../src/config/config.js'
import type { Forge } from '../../src/model/sources/forge.js'
import { bucket, label } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'
import { apiPath, forgeServer, forgeToken, type ForgeServer } from './forge-server.js'

const world = useWorld()
let server: ForgeServer
afterEach(() => server[Symbol.asyncDispose]())

const credentials = [{ name: 'moor', match: 'https://git.example/', token: '${env:FORGE}' }]

function configured(forge: Forge): { readonly changed: Partial<Configuration> } {
  world().environment.set('FORGE', forgeToken)
  const api = `${server.url}${apiPath[forge]}`
  const statuses = [{ name: 'host', match: new URL('/', world().url).href, forge, api, credential: 'moor' }]
  return { changed: { credentials, receivers: { notifications: [], statuses, publicUrl: 'https://moor.example' } } }
}

/** Each status as `context state`, once the last one is this. GitHub gets at most one a second. */
async function posted(last: string): Promise<readonly string[]> {
  const all = (): readonly string[] => server.statuses.map(({ context, state }) => `${context} ${state}`)
  await until(`the last status is ${last}`, () => {
    world().clock.advance(1_000)
    return all().at(-1) === last
  })
  return all()
}

describe.each([
  ['github', 'error', 'failure'],
  ['gitlab', 'canceled', 'failed'],
  ['gitea', 'error', 'failure'],
  ['forgejo', 'error', 'failure'],
] as const)('%s', (forge, canceled, failure) => {
  beforeEach(async () => {
    server = await forgeServer(forge)
    await world().reload(configured(forge))
  })

  test('gets the result of a run, with a link to it and the commit', async () => {
    const commit = await world().push(label('red'))
    const { id } = await world().create('boards')
    await posted('gitmoor/boards success')
    const link = `https://moor.example/stacks/boards/runs/${id}`
    expect(server.statuses.at(-1)).toMatchObject({ commit, link, description: expect.stringContaining(id) as string })
    const path = new URL(world().url).pathname.replace(/^\/|\.git$/g, '')
    expect(server.statuses[0]!.repository).toBe(forge === 'gitlab' ? path : path.split('/').slice(-2).join('/'))
    expect(server.refused).toEqual([])
  })

  test('gets a failure without its message, and a later success of another commit', async () => {
    await world().push('not: [a package')
    await world().create('boards')
    await posted(`gitmoor/boards ${failure}`)
    expect(server.statuses.at(-1)!.description).toMatch(/^Run \d+ failed \(package\/[a-z-]+\)\.$/)
    const commit = await world().push(label('red'))
    await world().sync('boards')
    await posted('gitmoor/boards success')
    expect(server.statuses.at(-1)).toMatchObject({ commit })
    expect(server.refused).toEqual([])
  })

  test('gets pending while a plan needs approval, and the end of a commit that a newer one replaces', async () => {
    const first = await world().push(label('red'))
    await world().create('boards', { apply: 'approval' })
    await posted('gitmoor/boards pending')
    const second = await world().push(label('blue'))
    await world().sync('boards')
    await until('both commits have a status', () => {
      world().clock.advance(1_000)
      const of = (commit: string) => server.statuses.findLast((one) => one.commit === commit)?.state
      return of(first) === canceled && of(second) === 'pending'
    })
    expect(server.refused).toEqual([])
  })
})

describe('statuses', () => {
  beforeEach(async () => {
    server = await forgeServer('gitea')
    await world().reload(configured('gitea'))
  })

  test('of the newest run win: an older one that could not be sent is not sent after it', async () => {
    server.intercept = (response) => void response.writeHead(503).end()
    const commit = await world().push('not: [a package')
    await world().create('boards')
    await until('the host failed', () => server.requests.length > 0)
    await world().repository.commit({ files: { 'package.yml': label('red') } })
    await world().sync('boards')
    await until('the old statuses are superseded', async () => {
      const { items } = await world().ask.listMessages('host', {})
      return items.filter((one) => one.commit?.commit === commit && one.state === 'pending').length <= 1
    })
    server.intercept = undefined
    await posted('gitmoor/boards success')
    const states = server.statuses.filter((one) => one.commit === commit).map(({ state }) => state)
    expect(states).toEqual(['failure'])
    const { items } = await world().ask.listMessages('host', {})
    const superseded = items.find(({ state }) => state === 'superseded')
    if (superseded !== undefined)
      expect((await refusal(world().ask.redeliverMessage(superseded.id))).code).toBe('notifications/not-repeatable')
  })

  test('are not repeated by runs that gitmoor repeats itself', async () => {
    await world().push(bucket('raw', { description: 'as declared' }))
    const { id } = await world().create('boards')
    await posted('gitmoor/boards success')
    const before = server.statuses.length
    await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards' }, never)
    world().clock.advance(330_000)
    await world().runAfter('boards', id)
    await world().create('apps')
    await posted('gitmoor/apps success')
    expect(server.statuses.slice(before).every(({ context }) => context === 'gitmoor/apps')).toBe(true)
  })

  test('of runs that ended before they are configured are not sent', async () => {
    await world().reload({})
    await world().push(label('red'))
    await world().create('boards')
    await world().reload(configured('gitea'))
    await world().create('apps')
    expect(await posted('gitmoor/apps success')).not.toContain('gitmoor/boards success')
  })

  test('need a token that the host accepts: the doctor shows its answer', async () => {
    world().environment.set('FORGE', 'another-token')
    await world().push(label('red'))
    await world().create('boards')
    await until('the doctor names the host', async () => {
      const { checks } = await world().ask.diagnose(never)
      return checks.some(
        ({ name, state, message }) => name === 'receiver host' && state === 'problem' && /401/.test(message),
      )
    })
    expect(JSON.stringify(await world().ask.listMessages('host', {}))).not.toContain('another-token')
  })
})
