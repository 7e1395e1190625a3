// `If-Match` on everything that changes one stack, of a running agent.
import { beforeEach, describe, expect, test } from 'vitest'
import { stackChangedSchema } from '../../../src/views/errors/error.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'
import { readDescription } from '../hostile/description.js'
import { openDoor, type Answer } from '../request-api.js'

const world = useWorld()
const path = '/api/v1/stacks/boards'

beforeEach(async () => {
  await world().push(yaml(label('red'), bucket('raw')), 'stable')
  await world().create('boards', { ref: 'stable' })
})

async function ask(method: string, below: string, body?: unknown, ifMatch?: string): Promise<Answer> {
  const headers = { 'X-Gitmoor-By': 'ann', ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) }
  return openDoor({}, { call: world().call }).request(method, `${path}${below}`, body, headers)
}

const tag = async (): Promise<string> => (await ask('GET', '')).headers.get('etag')!
const firstRun = async (): Promise<string> => (await world().ask.listRuns('boards', {})).items.at(-1)!.id
const uninstallDigest = async (): Promise<string> =>
  (await world().ask.previewPlan('boards', { uninstall: true }, never)).digest

const both = yaml(label('red'), bucket('raw'))
const files = [{ path: 'a.yml', text: both }]
const inline = async (): Promise<unknown> => {
  await world().ask.updateStack('boards', { sources: [{ kind: 'inline' }] }, 'ann')
  await world().ask.pushPackage('boards', { files: [...files, { path: 'b.yml', text: label('old') }] }, 'ann', never)
  return world().lastRun('boards')
}
let released = ''
const withoutLabel = async (): Promise<unknown> =>
  ({ id: released } = await world().ask.releaseResource('boards', { address: 'Label/red', by: 'ann' }, never))
const newCommit = (): Promise<unknown> => world().push(yaml(both, label('blue')), 'stable')
const planWaits = async (): Promise<unknown> => {
  await world().ask.updateStack('boards', { apply: 'approval' }, 'ann')
  await world().lastRun('boards')
  await newCommit()
  return world().sync('boards')
}
const plan = async (): Promise<{ readonly revision: string; readonly digest: string }> => {
  const { revision, digest } = await world().ask.previewPlan('boards', {}, never)
  return { revision, digest }
}

interface Change {
  readonly route: string
  readonly body?: () => unknown
  /** What exists before. */
  readonly given?: () => Promise<unknown>
  /** What another person does meanwhile. Default: a new setting. */
  readonly meanwhile?: () => Promise<unknown>
}

const suspended = (): Promise<unknown> => world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
const pinned = async (): Promise<unknown> => {
  const { id } = await world().ask.rollBack('boards', await firstRun(), '', 'ann')
  return world().ended('boards', id)
}
const suspendedAgain = (): Promise<unknown> => world().ask.suspendStack('boards', 'dinner', undefined, 'ben')
const settingChanged = async (): Promise<unknown> => {
  await world().ask.updateStack('boards', { maxDeletes: 7 }, 'ben')
  return world().lastRun('boards')
}

/** Operations that change one stack. */
const changes: Readonly<Record<string, Change>> = {
  updateStack: { route: 'PATCH ', body: () => ({ maxDeletes: 20 }) },
  suspendStack: { route: 'POST /suspend', body: () => ({ why: 'lunch' }) },
  resumeStack: { route: 'POST /resume', given: suspended, meanwhile: suspendedAgain },
  rollBackStack: { route: 'POST /rollback', body: async () => ({ run: await firstRun() }) },
  unpinStack: { route: 'POST /unpin', given: pinned },
  syncStack: { route: 'POST /sync' },
  cancelRun: { route: 'POST /cancel' },
  deleteStack: { route: 'DELETE ' },
  uninstallStack: { route: 'POST /uninstall', body: async () => ({ digest: await uninstallDigest() }) },
  releaseResource: { route: 'POST /release', body: () => ({ address: 'Label/red' }) },
  adoptResource: { route: 'POST /adopt', given: withoutLabel, body: () => ({ address: 'Label/red', id: released }) },
  applyPlan: { route: 'POST /apply', given: newCommit, body: plan },
  approvePlan: { route: 'POST /approve', given: planWaits, body: async () => ({ digest: (await plan()).digest }) },
  pushPackage: { route: 'PUT /package', given: inline, body: () => ({ files }) },
}

/** Operations that take effect otherwise in some situations. */
const situations: Readonly<Record<string, Change>> = {
  ...changes,
  'uninstallStack, once more': {
    ...changes['uninstallStack']!,
    given: async () => world().ask.uninstallStack('boards', { digest: await uninstallDigest(), by: 'ann' }, never),
    meanwhile: suspendedAgain,
  },
}

const send = async ({ route, body }: Change, ifMatch?: string): Promise<Answer> => {
  const [method = '', below = ''] = route.split(' ')
  return ask(method, below, await body?.(), ifMatch)
}

test('every operation on one stack or one fleet that changes it has If-Match, and no other', async () => {
  const { body } = await openDoor().request('GET', '/api/v1/openapi.json')
  const { operations } = readDescription(body)
  const conditional = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'If-Match'))
  const changing = operations.filter(({ title }) => /^(?!GET).* \/api\/v1\/stacks\/\{name\}/.test(title))
  const fleets = ['DELETE /api/v1/fleets/{name}', 'PUT /api/v1/fleets/{name}']
  const reading = [
    'POST /api/v1/stacks/{name}/plan-files',
    'POST /api/v1/stacks/{name}/plan-settings',
    'POST /api/v1/stacks/{name}/plan',
    'POST /api/v1/stacks/{name}/wait',
  ]
  expect(conditional.map(({ title }) => title).sort()).toEqual(
    [...fleets, ...changing.map(({ title }) => title)].filter((title) => !reading.includes(title)).sort(),
  )
  expect(conditional).toHaveLength(Object.keys(changes).length + fleets.length)
  for (const { title, answers } of operations) {
    const changed = fleets.includes(title) ? 'FleetChanged' : 'StackChanged'
    const isConditional = conditional.some((one) => one.title === title)
    expect(answers[412]?.['$ref'], title).toBe(isConditional ? `#/components/schemas/${changed}` : undefined)
  }
})

/** Another person changes the stack while a request is in progress: just before its write that takes effect. */
function changeBeforeWrite(): void {
  const { stacks, runs, pushes } = world().store
  let isChanged = false
  const hook = <Table extends object>(table: Table, ...methods: readonly (keyof Table)[]): void => {
    for (const method of methods) {
      const write = (table[method] as (...args: unknown[]) => Promise<unknown>).bind(table)
      const changing = async (...args: unknown[]): Promise<unknown> => {
        if (!isChanged && args.some((arg) => typeof arg === 'function')) {
          isChanged = true
          const { id, spec } = (await stacks.get('boards'))!
          await stacks.change(id, { spec: { ...spec, labels: { team: 'ops' } } })
        }
        return write(...args)
      }
      Object.assign(table, { [method]: changing })
    }
  }
  hook(stacks, 'change', 'changeSettings', 'delete', 'changeOwnership')
  hook(runs, 'add', 'cancelQueued')
  hook(pushes, 'put')
}

describe.each(Object.entries(situations))('%s', (_, change) => {
  test('is refused with 412 and the current stack after the stack changed', async () => {
    await change.given?.()
    const old = await tag()
    await (change.meanwhile ?? settingChanged)()
    const before = await ask('GET', '')
    const { status, headers, body } = await send(change, old)
    expect(status).toBe(412)
    expect(stackChangedSchema.parse(body)).toEqual(body)
    expect(body.error).toMatchObject({ status: 'stale', code: 'stacks/changed' })
    expect(body.current).toMatchObject({ name: 'boards', etag: before.body.etag, spec: before.body.spec })
    expect(headers.get('etag')).toBe(before.body.etag)
    const after = await ask('GET', '')
    expect(after.body).toMatchObject({ etag: before.body.etag, lastRun: before.body.lastRun })
    expect(after.body.resources).toEqual(before.body.resources)
  })

  test('is refused if the stack changes while the request is in progress, and nothing is done', async () => {
    await change.given?.()
    await world().lastRun('boards')
    const { body: before } = await ask('GET', '')
    const body = await change.body?.()
    changeBeforeWrite()
    const refused = await send({ route: change.route, body: () => body }, before.etag as string)
    expect(refused.status).toBe(412)
    expect(refused.body.current).toMatchObject({ spec: { labels: { team: 'ops' } } })
    const { body: after } = await ask('GET', '')
    for (const key of ['suspended', 'pinned', 'resources', 'revision', 'conditions', 'lastRun'])
      expect(after[key]).toEqual(before[key])
  })
})

test.each(Object.entries(situations))('%s is done with the tag of the stack', async (_, change) => {
  await change.given?.()
  const { status, body } = await send(change, await tag())
  expect(body.error).toBeUndefined()
  expect(status).toBe(200)
})

describe('the tag of a stack', () => {
  test('is in the header, in the row and in lists', async () => {
    const { headers, body } = await ask('GET', '')
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
    expect(body.etag).toBe(headers.get('etag'))
    const { items } = await world().ask.listStacks({})
    expect(items[0]!.etag).toBe(body.etag)
  })

  const changing: Readonly<Record<string, () => Promise<unknown>>> = {
    'a setting': () => world().ask.updateStack('boards', { drift: 'report' }, 'ann'),
    'the source': () => world().ask.updateStack('boards', { source: { ref: 'main' } }, 'ann'),
    'a suspension': suspended,
    'the reason of a suspension': async () => {
      await suspended()
      const before = await tag()
      await suspendedAgain()
      expect(await tag()).not.toBe(before)
    },
    'a rollback': pinned,
    'a pushed package': async () => {
      await inline()
      const before = await tag()
      await world().ask.pushPackage('boards', { files }, 'ann', never)
      expect(await tag()).not.toBe(before)
    },
  }
  test.each(Object.entries(changing))('changes with %s', async (_, change) => {
    const before = await tag()
    await change()
    expect(await tag()).not.toBe(before)
  })

  test('is the former one when a suspension or a rollback ended', async () => {
    const before = await tag()
    await suspended()
    await world().ask.resumeStack('boards', 'ann')
    expect(await tag()).toBe(before)
    await pinned()
    await world().ask.unpinStack('boards', 'ann')
    expect(await tag()).toBe(before)
  })

  test('does not change with a run, a new revision or a status', async () => {
    const before = await tag()
    await world().push(label('blue'), 'stable')
    await world().sync('boards')
    expect(await tag()).toBe(before)
  })

  test('is another one for a stack that was deleted and created again', async () => {
    const before = await tag()
    await world().ask.deleteStack('boards', { by: 'ann' }, never)
    await world().create('boards', { ref: 'stable' })
    expect(await tag()).not.toBe(before)
  })

  test.each(['POST /suspend', 'PATCH ', 'POST /rollback', 'PUT /package'])('is in the answer of %s', async (route) => {
    const change = Object.values(changes).find((one) => one.route === route)!
    await change.given?.()
    const { headers } = await send(change)
    expect(headers.get('etag')).toBe(await tag())
  })
})

describe('the header If-Match', () => {
  const suspend = (ifMatch: string): Promise<Answer> => send(changes['suspendStack']!, ifMatch)

  test('names one of several tags', async () => {
    expect((await suspend(`"other" , ${await tag()}`)).status).toBe(200)
  })

  test('is any stack: *', async () => {
    expect((await suspend('*')).status).toBe(200)
  })

  test('never matches by a weak tag', async () => {
    expect((await suspend(`W/${await tag()}`)).status).toBe(412)
  })

  test.each(['abc', '"a', '"a" "b"', '"a",', '*, "a"', ''])('%j is no list of tags', async (text) => {
    const { status, body } = await suspend(text)
    expect(status).toBe(400)
    expect(body.error.code).toBe('api/if-match')
  })

  test('is refused where it would be ignored', async () => {
    const { status, body } = await ask('POST', '/plan', {}, '"a"')
    expect(status).toBe(400)
    expect(body.error.code).toBe('api/if-match')
  })

  test('of a stack that does not exist is not found', async () => {
    const { status } = await openDoor({}, { call: world().call }).request(
      'POST',
      '/api/v1/stacks/none/resume',
      undefined,
      {
        'If-Match': '"a"',
      },
    )
    expect(status).toBe(404)
  })
})

describe('of changes at the same time', () => {
  test('with the same tag, one is done', async () => {
    const ifMatch = await tag()
    const answers = await Promise.all([
      ask('PATCH', '', { maxDeletes: 20 }, ifMatch),
      ask('PATCH', '', { drift: 'report' }, ifMatch),
      ask('POST', '/suspend', { why: 'lunch' }, ifMatch),
    ])
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['200', '412', '412'])
  })

  test('without a tag, none is lost', async () => {
    const answers = await Promise.all([ask('PATCH', '', { maxDeletes: 20 }), ask('PATCH', '', { drift: 'report' })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await ask('GET', '')).body.spec).toMatchObject({ maxDeletes: 20, drift: 'report' })
  })
})
