// /api/v2/stacks of a whole agent: create, list, read, change, uninstall, delete.
import { beforeEach, describe, expect, test } from 'vitest'
import { never } from '../../source/git-world.js'
import { useEmbeddedWorld } from '../embedded-world.js'
import { openWire, type Wire } from './wire.js'

const world = useEmbeddedWorld()
const stacks = '/api/v2/stacks'
let wire: Wire
let orgID: string

beforeEach(async () => {
  wire = openWire(world())
  orgID = await wire.orgID()
})

const header = (kind: string, name: string): string =>
  `apiVersion: influxdata.com/v2alpha1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`
const lamp = `${header('Label', 'lamp')}spec:\n  name: Lamp\n`
const raw = `${header('Bucket', 'raw')}spec:\n  associations:\n    - kind: Label\n      name: lamp\n`

async function create(changed: object = {}): Promise<any> {
  const { status, body } = await wire.request('POST', stacks, {
    orgID,
    name: 'Boards',
    description: 'of ops',
    urls: [],
    ...changed,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** What an apply over the wire hands over: files with the places they came from. */
async function apply(id: string, text: string): Promise<void> {
  const { id: run } = await world().ask.pushPackage(
    id,
    { files: [{ path: 'package.yml', text }], sources: ['file:///package.yml'] },
    'ann',
    never,
  )
  const { outcome } = await world().ended((await world().ask.getStack(id)).name, run)
  expect(['applied', 'unchanged']).toContain(outcome)
}

const read = async (id: string): Promise<any> => (await wire.request('GET', `${stacks}/${id}`)).body
const kindsOf = (stack: any): readonly string[] =>
  stack.resources.map((one: any) => `${one.kind}/${one.templateMetaName}`)
const typesOf = (stack: any): readonly string[] => stack.events.map((event: any) => event.eventType)
const runsOf = async (id: string): Promise<number> => (await world().ask.listRuns(id, {})).items.length

describe('a new stack', () => {
  test('has one event, no resources, and writes nothing', async () => {
    const calls = world().log.length
    const stack = await create({ urls: ['https://packages.example/a.yml'] })
    expect(stack).toMatchObject({
      orgID,
      eventType: 'create',
      name: 'Boards',
      description: 'of ops',
      resources: [],
      sources: [],
      urls: ['https://packages.example/a.yml'],
    })
    expect(stack.id).toMatch(/^[0-9a-f]{16}$/)
    expect(stack.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
    expect(stack.updatedAt).toBe(stack.createdAt)
    const { events, id: _id, orgID: _orgID, createdAt: _createdAt, ...latest } = stack
    expect(events).toEqual([latest])
    expect(await read(stack.id)).toEqual(stack)
    expect(
      world()
        .log.slice(calls)
        .filter(({ message }) => message === 'target called'),
    ).toEqual([])
    expect(await world().names()).toEqual([])
  })

  test('only reports drift, and gets a unique generated name', async () => {
    const [one, two] = [await create({ name: 'Ops / Boards!' }), await create({ name: 'Ops / Boards!' })]
    const view = await world().ask.getStack(one.id)
    expect(view.name).toBe(`ops-boards-${one.id.slice(0, 8)}`)
    expect(view).toMatchObject({ displayName: 'Ops / Boards!', spec: { drift: 'report', description: 'of ops' } })
    expect((await world().ask.getStack(two.id)).name).toBe(`ops-boards-${two.id.slice(0, 8)}`)
  })

  test('may have an empty name', async () => {
    const { body } = await wire.request('POST', stacks, { orgID })
    expect(body).toMatchObject({ name: '', description: '', urls: [] })
    expect((await world().ask.getStack(body.id)).name).toBe(`stack-${body.id.slice(0, 8)}`)
  })

  test.each([
    ['no organization id', { orgID: undefined }, 400, 'invalid'],
    ['an organization id of zeros', { orgID: '0000000000000000' }, 400, 'invalid'],
    ['an organization id that is short', { orgID: 'abc' }, 400, 'invalid'],
    ['an organization that does not exist', { orgID: '0123456789abcdef' }, 422, 'conflict'],
    ['an invalid URL', { urls: ['http://[::1'] }, 400, 'invalid'],
    ['a URL of another scheme', { urls: ['file:///etc/passwd'] }, 400, 'invalid'],
    ['a URL with a bad escape', { urls: ['https://a.example/%zz.yml'] }, 400, 'invalid'],
    ['a URL with a credential', { urls: ['https://user:canary@a.example/b.yml'] }, 400, 'invalid'],
    ['a URL with a credential and another scheme', { urls: ['ftp://user:canary@a.example/b.yml'] }, 400, 'invalid'],
    ['a Jsonnet URL with a credential', { urls: ['https://user:canary@a.example/b.jsonnet'] }, 400, 'invalid'],
    ['a Jsonnet URL', { urls: ['https://a.example/b.jsonnet'] }, 422, 'unprocessable entity'],
    ['an escaped Jsonnet URL', { urls: ['https://a.example/b.%6aSonnet'] }, 422, 'unprocessable entity'],
    ['a name that is no text', { name: 1 }, 400, 'invalid'],
    ['a name with a line break', { name: 'a\nb' }, 400, 'invalid'],
    ['too many URLs', { urls: Array.from({ length: 21 }, () => 'https://a.example/b.yml') }, 400, 'invalid'],
  ])('with %s is refused', async (_, changed, status, code) => {
    const answer = await wire.request('POST', stacks, { orgID, name: 'x', ...changed })
    expect(answer).toMatchObject({ status, body: { code } })
    expect(answer.body.message).not.toContain('canary')
    expect((await wire.request('GET', `${stacks}?orgID=${orgID}`)).body.stacks).toEqual([])
  })
})

test('the problems of a request name each field once', async () => {
  const said = async (body: unknown): Promise<string> => (await wire.request('POST', stacks, body)).body.message
  expect(await said({ orgID, name: 5 })).toBe('"name" must be a text, not a number.')
  expect(await said([])).toBe('The body must be a map, not a list.')
})

describe('the list', () => {
  test('has exactly the stacks of the organisation, with any kind of source', async () => {
    const made = await create()
    const other = await create({ orgID: await wire.orgID('other') })
    await world().push(lamp)
    await world().create('followed')
    const { status, body } = await wire.request('GET', `${stacks}?orgID=${orgID}`)
    expect(status).toBe(200)
    expect(body.stacks.map((one: any) => one.name).sort()).toEqual(['Boards', 'followed'])
    expect(body.stacks.find((one: any) => one.name === 'followed')).toMatchObject({
      sources: [world().url],
      eventType: 'update',
    })
    expect(body.stacks.map((one: any) => one.id)).not.toContain(other.id)
    expect(body.stacks.map((one: any) => one.id)).toContain(made.id)
  })

  test('is a union of names and ids; unknown ones and those of others are skipped', async () => {
    const [a, b, c] = [await create({ name: 'a' }), await create({ name: 'b' }), await create({ name: 'c' })]
    const other = await create({ name: 'a', orgID: await wire.orgID('other') })
    const ids = async (query: string): Promise<readonly string[]> =>
      (await wire.request('GET', `${stacks}?orgID=${orgID}&${query}`)).body.stacks.map((one: any) => one.id)
    expect(new Set(await ids(`name=a&stackID=${b.id}`))).toEqual(new Set([a.id, b.id]))
    expect(new Set(await ids('name=a&name=c&name=zzz'))).toEqual(new Set([a.id, c.id]))
    expect(await ids(`stackID=${c.id}&stackID=0123456789abcdef&stackID=${other.id}`)).toEqual([c.id])
    expect(await ids('name=zzz')).toEqual([])
  })

  test.each(['', 'orgID=', 'orgID=12', 'orgID=0000000000000000', 'ORG&stackID=nope'])(
    '%j is malformed',
    async (query) => {
      const answer = await wire.request('GET', `${stacks}?${query.replace('ORG', `orgID=${orgID}`)}`)
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid' } })
    },
  )
})

describe('reading', () => {
  test.each([
    ['nope', 400, 'invalid'],
    ['0000000000000000', 400, 'invalid'],
    ['0123456789abcdef', 404, 'not found'],
  ])('%s is %i', async (id, status, code) => {
    expect(await wire.request('GET', `${stacks}/${id}`)).toMatchObject({ status, body: { code } })
    expect(await wire.request('PATCH', `${stacks}/${id}`, {})).toMatchObject({ status, body: { code } })
    expect(await wire.request('POST', `${stacks}/${id}/uninstall?orgID=${orgID}`)).toMatchObject({
      status,
      body: { code },
    })
  })

  test('shows what is applied: resources by kind and name, labels, links and sources', async () => {
    const { id } = await create()
    world().clock.advance(1_000)
    await apply(id, `${raw}---\n${lamp}---\n${header('Bucket', 'archive')}`)
    const stack = await read(id)
    expect(typesOf(stack)).toEqual(['create', 'update'])
    expect(kindsOf(stack)).toEqual(['Bucket/archive', 'Bucket/raw', 'Label/lamp'])
    expect(stack.sources).toEqual(['file:///package.yml'])
    expect(stack.events[0].sources).toEqual([])
    expect(stack.resources[1]).toEqual({
      apiVersion: 'influxdata.com/v2alpha1',
      resourceID: (await world().ids((await world().ask.getStack(id)).name))['Bucket/raw'],
      kind: 'Bucket',
      templateMetaName: 'raw',
      associations: [{ kind: 'Label', metaName: 'lamp' }],
      links: { self: `/api/v2/buckets/${stack.resources[1].resourceID}` },
    })
    expect(stack.updatedAt > stack.createdAt).toBe(true)
  })

  test('an apply that changes nothing makes no event', async () => {
    const { id } = await create()
    await apply(id, lamp)
    const before = await read(id)
    await apply(id, lamp)
    expect(await read(id)).toEqual(before)
  })
})

describe('a change', () => {
  const patch = (id: string, body: object) => wire.request('PATCH', `${stacks}/${id}`, body)

  test('of name and description is an event; absent and null fields stay', async () => {
    const { id } = await create({ urls: ['https://a.example/a.yml'] })
    const renamed = await patch(id, { name: 'Other', description: null })
    expect(renamed).toMatchObject({
      status: 200,
      body: { name: 'Other', description: 'of ops', urls: ['https://a.example/a.yml'] },
    })
    expect(typesOf(renamed.body)).toEqual(['create', 'update'])
    expect(renamed.body.events[0].name).toBe('Boards')
    expect((await patch(id, { description: 'new' })).body).toMatchObject({ name: 'Other', description: 'new' })
  })

  test('of URLs joins both names, clears with an empty list, and writes nothing', async () => {
    const { id } = await create()
    await apply(id, lamp)
    const runs = world().log.length
    const given = { templateURLs: ['https://a.example/a.yml'], urls: ['https://a.example/b.yml'] }
    expect((await patch(id, given)).body).toMatchObject({
      urls: [...given.templateURLs, ...given.urls],
      resources: [{ kind: 'Label' }],
    })
    expect((await patch(id, { templateURLs: null })).body.urls).toHaveLength(2)
    expect((await patch(id, { urls: [] })).body.urls).toEqual([])
    expect(
      world()
        .log.slice(runs)
        .filter(({ facts }) => /^(create|update|remove) /.test(String(facts['call']))),
    ).toEqual([])
  })

  test.each([
    ['a bad escape', { urls: ['%zz'] }, 400, 'invalid'],
    ['a credential in a URL', { urls: ['ftp://user:canary@a.example/b.yml'] }, 400, 'invalid'],
    ['Jsonnet', { templateURLs: ['https://a.example/b.Jsonnet'] }, 422, 'unprocessable entity'],
    ['a malformed id', { additionalResources: [{ kind: 'Bucket', resourceID: 'x' }] }, 400, 'invalid'],
    [
      'a resource that does not exist',
      { additionalResources: [{ kind: 'Bucket', resourceID: '0123456789abcdef' }] },
      422,
      'conflict',
    ],
    [
      'an unknown kind',
      { additionalResources: [{ kind: 'Bukket', resourceID: '0123456789abcdef' }] },
      422,
      'unprocessable entity',
    ],
    [
      'a part',
      { additionalResources: [{ kind: 'LabelMapping', resourceID: '0123456789abcdef' }] },
      422,
      'unprocessable entity',
    ],
  ])('with %s is refused', async (_, body, status, code) => {
    const { id } = await create()
    expect(await patch(id, { name: 'new', ...body })).toMatchObject({ status, body: { code } })
    expect(typesOf(await read(id))).toEqual(['create'])
  })

  test('accepts a URL that cannot be parsed', async () => {
    const { id } = await create()
    expect((await patch(id, { urls: ['packages/a.yml'] })).body.urls).toEqual(['packages/a.yml'])
  })

  test('of a stack of the configuration file is refused', async () => {
    const { id } = await create()
    await world().store.stacks.change(id, { managedBy: 'file' })
    expect(await patch(id, { name: 'new' })).toMatchObject({ status: 422, body: { code: 'conflict' } })
  })

  test('of a stack that follows a repository may name it, but gives it no URLs', async () => {
    await world().push(lamp)
    await world().create('followed')
    const { id } = await world().ask.getStack('followed')
    expect((await patch(id, { name: 'Seen' })).body).toMatchObject({ name: 'Seen', sources: [world().url] })
    expect(await patch(id, { urls: ['https://a.example/a.yml'] })).toMatchObject({
      status: 422,
      body: { code: 'conflict' },
    })
  })
})

describe('adoption', () => {
  const patch = (id: string, body: object) => wire.request('PATCH', `${stacks}/${id}`, body)
  const byHand = async (family: string, name: string): Promise<string> =>
    (await world().ask.createResource(family, { name }, { target: 'local' }, never)).id

  test('stores ownership of an existing resource and writes nothing to it', async () => {
    const { id } = await create()
    const resourceID = await byHand('Bucket', 'by-hand')
    const before = await world().live()
    const { status, body } = await patch(id, {
      additionalResources: [{ kind: 'Bucket', resourceID, templateMetaName: 'mine' }],
    })
    expect(status).toBe(200)
    expect(body.resources).toMatchObject([{ kind: 'Bucket', templateMetaName: 'mine', resourceID, associations: [] }])
    expect(typesOf(body)).toEqual(['create', 'update'])
    expect((await world().live())['Bucket/by-hand']!.live).toEqual(before['Bucket/by-hand']!.live)
  })

  test('generates a name if none is given or it is in use; owned resources are ignored', async () => {
    const { id } = await create()
    await apply(id, lamp)
    const resourceID = await byHand('Bucket', 'by-hand')
    const { body } = await patch(id, {
      additionalResources: [{ kind: 'Bucket', resourceID, templateMetaName: 'lamp' }],
    })
    const [bucket, label] = kindsOf(body)
    expect(bucket).toMatch(/^Bucket\/[a-z]+-[a-z]+-[0-9a-f]{6}$/)
    expect(label).toBe('Label/lamp')
    const again = await patch(id, { additionalResources: [{ kind: 'Bucket', resourceID, templateMetaName: 'other' }] })
    expect(kindsOf(again.body)).toEqual(kindsOf(body))
  })

  test('of a resource that the target created itself is refused: the next apply would remove it', async () => {
    const { id } = await create()
    const { items } = await world().ask.listResources({ limit: 500 }, never)
    const own = items.find(({ displayName }) => displayName === '_monitoring')!
    const answer = await patch(id, { additionalResources: [{ kind: 'Bucket', resourceID: own.id }] })
    expect(answer).toMatchObject({ status: 422, body: { code: 'conflict' } })
  })

  test('of a resource of another stack is refused', async () => {
    const [one, two] = [await create({ name: 'one' }), await create({ name: 'two' })]
    await apply(one.id, lamp)
    const [label] = (await read(one.id)).resources
    const answer = await patch(two.id, { additionalResources: [{ kind: 'Label', resourceID: label.resourceID }] })
    expect(answer).toMatchObject({ status: 422, body: { code: 'conflict' } })
    expect(answer.body.message).toContain('gitmoor stack release')
  })

  test('is undone by the next apply that does not declare it', async () => {
    const { id } = await create()
    await apply(id, lamp)
    const resourceID = await byHand('Label', 'by-hand')
    await patch(id, { additionalResources: [{ kind: 'Label', resourceID }] })
    await apply(id, `${lamp}  description: changed\n`)
    expect(await world().names()).toEqual(['Label/Lamp'])
  })

  test('is kept by an apply that declares it under its name', async () => {
    const { id } = await create()
    const resourceID = await byHand('Label', 'by-hand')
    await patch(id, { additionalResources: [{ kind: 'Label', resourceID, templateMetaName: 'lamp' }] })
    await apply(id, lamp)
    expect((await world().live())['Label/Lamp']!.id).toBe(resourceID)
  })

  test('untracking writes nothing to the target; an unknown resource counts as untracked', async () => {
    const { id } = await create()
    await apply(id, `${raw}---\n${lamp}`)
    const [bucket] = (await read(id)).resources
    const removeResources = [
      { kind: 'Bucket', resourceID: bucket.resourceID },
      { kind: 'Label', resourceID: '0123456789abcdef' },
    ]
    const { status, body } = await patch(id, { removeResources })
    expect(status).toBe(200)
    expect(kindsOf(body)).toEqual(['Label/lamp'])
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/Lamp'])
    await apply(id, `${lamp}  color: red\n`)
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/Lamp'])
  })
})

describe('an uninstall', () => {
  const uninstall = (id: string, org = orgID) => wire.request('POST', `${stacks}/${id}/uninstall?orgID=${org}`)

  test('removes all owned resources, also adopted and missing ones, and keeps the stack', async () => {
    const { id } = await create({ urls: ['https://a.example/a.yml'] })
    await apply(id, `${raw}---\n${lamp}`)
    const adopted = await world().ask.createResource('Label', { name: 'by-hand' }, {}, never)
    await wire.request('PATCH', `${stacks}/${id}`, { additionalResources: [{ kind: 'Label', resourceID: adopted.id }] })
    await world().ask.deleteResource('Label/lamp', { stack: id }, never)
    const { status, body } = await uninstall(id)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({
      eventType: 'uninstall',
      resources: [],
      sources: ['file:///package.yml'],
      urls: ['https://a.example/a.yml'],
    })
    expect(await world().names()).toEqual([])
    expect(typesOf(await read(id)).at(-1)).toBe('uninstall')
  })

  test('lasts until the next apply revives the stack', async () => {
    const { id } = await create()
    await apply(id, lamp)
    await uninstall(id)
    const runs = await runsOf(id)
    world().clock.advance(3_600_000)
    await world().agent.polls.poll((await world().store.stacks.get(id))!, never)
    await world().agent.runs.exclusively(id, never, async () => {})
    expect(await runsOf(id)).toBe(runs)
    expect(await world().names()).toEqual([])
    await apply(id, `${lamp}  color: red\n`)
    expect(await read(id)).toMatchObject({ eventType: 'update', resources: [{ templateMetaName: 'lamp' }] })
    expect(await world().names()).toEqual(['Label/Lamp'])
  })

  test('again changes nothing; of a stack without resources it is an event', async () => {
    const { id } = await create()
    expect((await uninstall(id)).body.eventType).toBe('uninstall')
    const again = await uninstall(id)
    expect(again.status).toBe(200)
    expect(typesOf(again.body)).toEqual(['create', 'uninstall'])
  })

  test('of another organisation’s stack is a conflict, without an organization malformed', async () => {
    const { id } = await create()
    expect(await uninstall(id, await wire.orgID('other'))).toMatchObject({ status: 422, body: { code: 'conflict' } })
    expect(await wire.request('POST', `${stacks}/${id}/uninstall`)).toMatchObject({
      status: 400,
      body: { code: 'invalid' },
    })
    expect(typesOf(await read(id))).toEqual(['create'])
  })
})

describe('a deletion', () => {
  const remove = (id: string, org = orgID) => wire.request('DELETE', `${stacks}/${id}?orgID=${org}`)

  test('uninstalls, and deletes the stack', async () => {
    const { id } = await create()
    await apply(id, `${raw}---\n${lamp}`)
    expect(await remove(id)).toMatchObject({ status: 204, body: undefined })
    expect(await world().names()).toEqual([])
    expect((await wire.request('GET', `${stacks}/${id}`)).status).toBe(404)
  })

  test('works for a stack that is uninstalled, renamed after that, or never applied', async () => {
    for (const applied of [true, false]) {
      const { id } = await create()
      if (applied) await apply(id, lamp)
      await wire.request('POST', `${stacks}/${id}/uninstall?orgID=${orgID}`)
      if (applied) await wire.request('PATCH', `${stacks}/${id}`, { name: 'renamed' })
      expect((await remove(id)).status).toBe(204)
      expect((await wire.request('GET', `${stacks}/${id}`)).status).toBe(404)
    }
  })

  test('of a missing stack succeeds', async () => {
    expect((await remove('0123456789abcdef')).status).toBe(204)
  })

  test('of another organisation’s stack is a conflict; a malformed id is invalid', async () => {
    const { id } = await create()
    expect(await remove(id, await wire.orgID('other'))).toMatchObject({ status: 422, body: { code: 'conflict' } })
    expect(await remove('nope')).toMatchObject({ status: 400, body: { code: 'invalid' } })
    expect(await remove(id, '')).toMatchObject({ status: 400, body: { code: 'invalid' } })
    expect((await read(id)).id).toBe(id)
  })
})
