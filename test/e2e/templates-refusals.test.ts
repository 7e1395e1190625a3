// What an apply over the InfluxDB API refuses, undoes and takes over.
import { describe, expect, test } from 'vitest'
import { Rejected } from '../../src/model/errors.js'
import { bucket, dashboard, label, task, yaml } from '../influxdb/packages.js'
import { askWire, orgOf, templates, type WireReply } from './wire-door.js'
import { until } from './until.js'
import { never, useWorld } from '../influxdb/world.js'

const world = useWorld()
const bad = 'apiVersion: influxdata.com/v2alpha1\nkind: Bucket\nmetadata:\n  name: Bad_Name\n'

const apply = (text: string, more: object = {}): Promise<WireReply> => templates(world(), [text], { ...more })
const look = (text: string, more: object = {}): Promise<WireReply> =>
  templates(world(), [text], { dryRun: true, ...more })
const stacks = async (): Promise<number> => (await world().ask.listStacks({})).items.length
async function applied(text: string): Promise<string> {
  const { status, body } = await apply(text)
  expect([status, body.message]).toEqual([201, undefined])
  return body.stackID as string
}

/** The target refuses to make resources of a family. */
function refuse(family: string): void {
  world().platform.onCall((call) => {
    if (call.verb === 'create' && call.family === family)
      throw new Rejected('The target said no.', { code: 'platform/refused' })
  })
}

/** Whatever is due by then for the stack has begun and ended. */
async function hoursLater(stack: string): Promise<void> {
  for (let i = 0; i < 3; i++) {
    world().clock.advance(3_600_000)
    world().agent.runs.wake(stack)
    await world().agent.runs.exclusively(stack, never, async () => {})
  }
}

describe('an invalid package', () => {
  test('is 422 with every error, and with the summary and diff of what is valid', async () => {
    const wrong = bucket('odd', { every: 5 })
    const { status, body } = await look(yaml(bucket('fine'), bad, wrong))
    expect([status, body.code, body.message]).toEqual([422, 'unprocessable entity', 'unprocessable entity'])
    expect(body.errors).toMatchObject([
      {
        kind: 'Bucket',
        fields: ['root', 'metadata', 'name'],
        idxs: [1, null, null],
        indexes: [1, null, null],
        source: 'file://0.yml',
      },
      {
        kind: 'Bucket',
        fields: ['root', 'spec', 'retentionRules', 'everySeconds'],
        idxs: [2, null, 0, null],
        line: expect.any(Number),
      },
    ])
    expect(body.summary.buckets.map(({ name }: any) => name)).toEqual(['fine'])
    expect(body.diff.buckets).toMatchObject([{ templateMetaName: 'fine', stateStatus: 'new' }])
    expect([body.summary.missingEnvRefs, body.summary.missingSecrets, body.diff.checks]).toEqual([[], [], []])
  })

  test('writes ids as numbers for clients that read nothing else', async () => {
    const { status, body } = await look(yaml(bucket('fine'), bad), { client: 'influx/2.9' })
    expect([status, body.errors.length, body.diff.buckets[0].id, body.summary.buckets[0].id]).toEqual([422, 1, 0, 0])
  })

  test('writes nothing when it is applied, and makes no stack', async () => {
    const { status, body } = await apply(yaml(bucket('fine'), bad))
    expect([status, body.errors]).toMatchObject([422, [{ kind: 'Bucket' }]])
    expect([await world().names(), await stacks()]).toEqual([[], 0])
  })

  test('shows nothing as removed: invalid documents count as declared', async () => {
    const stackID = await applied(yaml(bucket('raw'), label('red')))
    const { body } = await look(yaml(bucket('raw', { every: 5 }), label('red')), { stackID })
    expect(body.diff.buckets).toEqual([])
  })

  test.each([
    [
      'an object without kind',
      'apiVersion: influxdata.com/v2alpha1\nmetadata: {name: a}\n---\n' + label('red'),
      'unknown',
      ['root', 'kind'],
    ],
    ['an object without apiVersion', 'kind: Bucket\nmetadata: {name: aa}\n', 'Bucket', ['root', 'apiVersion']],
    [
      'a generic kind',
      'apiVersion: influxdata.com/v2alpha1\nkind: Check\nmetadata: {name: aa}\n',
      'Check',
      ['root', 'kind'],
    ],
  ])('%s has its own kind and path', async (_what, text, kind, fields) => {
    const { status, body } = await look(text)
    expect([status, body.errors]).toMatchObject([422, [{ kind, fields }]])
  })

  test('unused values and secrets are warnings, in a dry run and in an apply', async () => {
    const more = { envRefs: { region: 'eu' }, secrets: { token: 'x' } }
    const warnings = ['envRefs', 'secrets'].map((field) => ({ kind: 'Package', fields: [field], idxs: [null] }))
    expect((await look(label('red'), more)).body.warnings).toMatchObject(warnings)
    expect((await apply(label('red'), more)).body.warnings).toMatchObject(warnings)
  })

  test('entries that are no objects are errors, each with its index, and leave no stack', async () => {
    const sent = { orgID: await orgOf(world()), template: { contents: [1, null, 'x', {}] } }
    const { status, body } = await askWire(world(), 'POST', '/api/v2/templates/apply', sent)
    expect([status, await stacks()]).toEqual([422, 0])
    expect(body.errors).toMatchObject(
      [0, 1, 2, 3].map((at) => ({ kind: 'unknown', fields: ['root', 'kind'], idxs: [at, null] })),
    )
  })

  test('a list of numbers is a text of bytes only in a body of YAML', async () => {
    const orgID = await orgOf(world())
    const body = { orgID, dryRun: true, template: { contentType: 'yaml', contents: [...Buffer.from(label('red'))] } }
    const asJson = await askWire(world(), 'POST', '/api/v2/templates/apply', body)
    expect([asJson.status, asJson.body.errors[0]]).toMatchObject([422, { fields: ['root', 'kind'], idxs: [0, null] }])
    const asYaml = await askWire(world(), 'POST', '/api/v2/templates/apply', JSON.stringify(body))
    expect([asYaml.status, asYaml.body.summary.labels]).toMatchObject([200, [{ templateMetaName: 'red' }]])
  })

  test('text that does not decode is one error with source and position, and no field error', async () => {
    const { status, body } = await look('kind: [')
    expect([status, body.errors]).toEqual([422, undefined])
    expect(body.message).toContain('1-0.yml')
  })

  test('indexes count over all packages, in their order', async () => {
    const { body } = await templates(world(), [label('red'), bad], { dryRun: true })
    expect(body.errors).toMatchObject([{ idxs: [1, null, null], source: 'file://1.yml' }])
    expect(body.sources).toEqual(['file://0.yml', 'file://1.yml'])
  })
})

describe('requests', () => {
  const send = async (more: object): Promise<WireReply> =>
    askWire(world(), 'POST', '/api/v2/templates/apply', { orgID: await orgOf(world()), dryRun: true, ...more })
  const skip = (action: string, properties: object): object => ({ actions: [{ action, properties }] })

  test.each([
    ['a bad organisation', { orgID: 'x' }, 400, 'invalid'],
    ['an organisation of zeros', { orgID: '0'.repeat(16) }, 400, 'invalid'],
    ['an unknown organisation', { orgID: '0123456789abcdef' }, 422, 'conflict'],
    ['a bad stack id', { stackID: 'nope' }, 400, 'invalid'],
    ['an empty stack id', { stackID: '' }, 400, 'invalid'],
    ['an unknown stack', { stackID: '0123456789abcdef' }, 404, 'not found'],
    ['an unknown action', skip('skipAll', { kind: 'Bucket' }), 400, 'invalid'],
    ['an unknown kind to skip', skip('skipKind', { kind: 'Sink' }), 400, 'invalid'],
    ['a skip without a name', skip('skipResource', { kind: 'Bucket' }), 400, 'invalid'],
    ['an env value that is a map', { envRefs: { a: {} } }, 400, 'invalid'],
    ['a secret that is not a text', { secrets: { a: 1 } }, 400, 'invalid'],
    ['Jsonnet', { templates: [{ contentType: 'jsonnet', contents: [] }] }, 422, 'unprocessable entity'],
    ['a source of Jsonnet', { template: { sources: ['a.%6asonnet'], contents: [] } }, 422, 'unprocessable entity'],
    ['a remote of Jsonnet', { remotes: [{ url: 'https://x.example/a.JSONNET' }] }, 422, 'unprocessable entity'],
    ['a remote that cannot be unescaped', { remotes: [{ url: 'https://x.example/%zz' }] }, 400, 'invalid'],
    ['a remote on this machine', { remotes: [{ url: 'http://127.0.0.1:1/a.yml' }] }, 422, 'unprocessable entity'],
    ['a remote that is a file', { remotes: [{ url: 'file:///etc/passwd' }] }, 422, 'unprocessable entity'],
  ])('with %s are refused', async (_what, more, status, code) => {
    const answer = await send(more)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('may list remotes without an address, which are ignored', async () => {
    const { status, body } = await send({ remotes: [{ url: '' }, {}], template: { sources: ['a.json'], contents: [] } })
    expect([status, body.sources]).toEqual([200, []])
  })

  test('give contents as objects, one object, text, or in a body of YAML', async () => {
    const object = {
      apiVersion: 'influxdata.com/v2alpha1',
      kind: 'Label',
      metadata: { name: 'red' },
      spec: { name: 'Red' },
    }
    const text = JSON.stringify(object)
    const names = async (more: object | string): Promise<unknown> => {
      const { body } =
        typeof more === 'string' ? await askWire(world(), 'POST', '/api/v2/templates/apply', more) : await send(more)
      return body.summary?.labels.map(({ name }: any) => name) ?? body
    }
    expect(await names({ template: { contents: [object] } })).toEqual(['Red'])
    expect(await names({ template: { contentType: 'yaml', contents: object } })).toEqual(['Red'])
    expect(await names({ templates: [{ contents: text }] })).toEqual(['Red'])
    expect(await names({ templates: [{ contentType: 'yml', contents: label('red', { name: 'Red' }) }] })).toEqual([
      'Red',
    ])
    expect(await names({ templates: [{ contents: label('red', { name: 'Red' }) }] })).toEqual(['Red'])
    expect(await names({ templates: [{ contents: `\n [${text}]` }] })).toEqual(['Red'])
    const orgID = await orgOf(world())
    expect(await names(`dryRun: true\norgID: "${orgID}"\ntemplate:\n  contents:\n    - ${text}\n`)).toEqual(['Red'])
    const flow = '{apiVersion: influxdata.com/v2alpha1, kind: Label, metadata: {name: red}, spec: {name: Red}}'
    expect(await names(`dryRun: true\norgID: "${orgID}"\ntemplate:\n  contents: "${flow}"\n`)).toEqual(['Red'])
  })

  test('with no package are an empty answer', async () => {
    const { status, body } = await send({})
    expect([status, body.sources, body.stackID, body.errors]).toEqual([200, [], '', undefined])
    expect(Object.values(body.diff).every((list) => Array.isArray(list) && list.length === 0)).toBe(true)
    expect(body.summary.summaryTask).toEqual([])
  })

  test('of a stack that follows its own sources are refused', async () => {
    await world().push(bucket('raw'))
    await world().create('git')
    const { id } = await world().ask.getStack('git')
    expect(await send({ stackID: id })).toMatchObject({ status: 422, body: { code: 'conflict' } })
  })

  test('values apply to names, and missing ones are reported', async () => {
    const text =
      'apiVersion: influxdata.com/v2alpha1\nkind: Label\nmetadata:\n  name: red\nspec:\n  name: {envRef: {key: shade, default: rose}}\n'
    const plain = await look(text)
    expect(plain.body.summary).toMatchObject({ labels: [{ name: 'rose' }], missingEnvRefs: ['shade'] })
    const given = await look(text, { envRefs: { shade: 7777 } })
    expect(given.body.summary).toMatchObject({
      labels: [{ name: '7777', envReferences: [{ value: '7777' }] }],
      missingEnvRefs: [],
    })
  })
})

describe('an apply that fails', () => {
  test('is 500 with a line for each failed resource; everything is as before, and no stack remains', async () => {
    refuse('Label')
    const { status, body } = await apply(yaml(label('red'), label('blue'), bucket('raw', { labels: ['red'] })))
    expect([status, body.code]).toEqual([500, 'internal error'])
    expect(body.message).toContain('resource_type="labels" metadata_name="red"')
    expect(body.message).toContain('resource_type="labels" metadata_name="blue"')
    expect([await world().names(), await stacks()]).toEqual([[], 0])
  })

  test('leaves the stack as it was, and is not tried again by itself', async () => {
    const stackID = await applied(yaml(label('red'), bucket('raw')))
    const before = await world().live()
    refuse('Task')
    const { status } = await apply(yaml(label('red', { name: 'Rose' }), bucket('raw'), task('tick')), { stackID })
    expect(status).toBe(500)
    expect(await world().live()).toEqual(before)
    world().platform.reset()
    const runs = (await world().ask.listRuns(stackID, {})).items.length
    await hoursLater(stackID)
    expect((await world().ask.listRuns(stackID, {})).items).toHaveLength(runs)
    expect(await world().live()).toEqual(before)
  })
})

describe('a resource that exists already', () => {
  test('is taken over by its name, and marked; what has no key is new each time', async () => {
    await world().ask.createResource('Bucket', { name: 'raw', description: '', retentionRules: [] }, {}, never)
    const { body } = await look(yaml(bucket('raw', { every: 3600 }), dashboard('ops')))
    expect(body.diff.buckets).toMatchObject([
      { stateStatus: 'exists', adopted: true, changed: true, old: { name: 'raw' } },
    ])
    expect(body.diff.dashboards).toMatchObject([{ stateStatus: 'new', old: null }])
    await applied(dashboard('ops'))
    await applied(dashboard('ops'))
    const { items } = await world().ask.listResources({ limit: 100 }, never)
    expect(items.filter(({ family }) => family === 'Dashboard')).toHaveLength(2)
  })

  test('and was deleted by hand is shown as new, with its former id', async () => {
    const stackID = await applied(dashboard('ops'))
    const { 'Dashboard/ops': id } = Object.fromEntries(
      Object.entries(await world().live()).map(([name, one]) => [name, one.id]),
    )
    await world().ask.deleteResource(`Dashboard/${id}`, {}, never)
    const { body } = await look(dashboard('ops'), { stackID })
    expect(body.diff.dashboards).toMatchObject([{ stateStatus: 'new', id: '', previousID: id, changed: true }])
    expect((await apply(dashboard('ops'), { stackID })).status).toBe(201)
    expect((await apply(yaml(label('red')), { stackID })).status).toBe(201)
  })

  test('under another metaName is moved, not removed', async () => {
    const stackID = await applied(bucket('raw'))
    const before = await world().live()
    const { body } = await look(bucket('cooked', { name: 'raw' }), { stackID })
    expect(body.diff.buckets).toMatchObject([{ stateStatus: 'exists', templateMetaName: 'cooked', changed: false }])
    expect((await apply(bucket('cooked', { name: 'raw' }), { stackID })).status).toBe(201)
    expect((await world().live())['Bucket/raw']!.id).toBe(before['Bucket/raw']!.id)
  })

  test('and has a label that the package declares shows their mapping as existing, if no stack owns it', async () => {
    const stackID = await applied(yaml(label('red'), bucket('raw')))
    const live = await world().live()
    const mapping = { resourceType: 'buckets', resourceID: live['Bucket/raw']!.id, labelID: live['Label/red']!.id }
    await world().ask.createResource('LabelMapping', mapping, {}, never)
    const { body } = await look(yaml(label('red'), bucket('raw')), { stackID })
    expect(body.diff.labelMappings).toMatchObject([
      { stateStatus: 'exists', resourceTemplateMetaName: 'raw', labelTemplateMetaName: 'red' },
    ])
  })
})

describe('data that would be lost', () => {
  test('with an empty package is everything, and is refused unless that is meant', async () => {
    const stackID = await applied(yaml(label('red'), bucket('raw')))
    const refused = await templates(world(), [], { stackID })
    expect([refused.status, refused.body.message]).toEqual([
      422,
      expect.stringContaining('would remove all 2 resources'),
    ])
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
    expect((await templates(world(), [], { stackID, allowEmpty: true })).status).toBe(201)
    expect(await world().names()).toEqual([])
  })

  test('is reported, and refused if the stack may lose no data', async () => {
    const stackID = await applied(yaml(label('red'), bucket('raw')))
    const dry = await look(label('red'), { stackID })
    expect(dry.body.diff.buckets).toMatchObject([{ stateStatus: 'remove', losesData: true, kind: 'Bucket' }])
    const refused = await apply(label('red'), { stackID, allowDataLoss: false })
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining('raw')])
    expect((await apply(label('red'), { stackID })).status).toBe(201)
    expect(await world().names()).toEqual(['Label/red'])
  })

  test('is refused where the stack refuses to lose data, unless the request allows it', async () => {
    await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }] }), 'ann')
    const stackID = (await world().ask.getStack('boards')).id
    expect((await apply(yaml(label('red'), bucket('raw', { every: 7_200 })), { stackID })).status).toBe(201)
    for (const text of [yaml(label('red'), bucket('raw', { every: 3_600 })), label('red')])
      expect((await apply(text, { stackID })).body.message).toMatch(
        /points older than 1h0m0s are deleted|deletes its data/,
      )
    const path = `/api/v2/stacks/${stackID}?orgID=${await orgOf(world())}`
    for (const [method, at] of [
      ['DELETE', path],
      ['POST', path.replace('?', '/uninstall?')],
    ] as const)
      expect((await askWire(world(), method, at)).body.message).toContain('Removing Bucket/raw deletes its data.')
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
    expect((await apply(label('red'), { stackID, allowDataLoss: true })).status).toBe(201)
  })

  test('is refused where the stack protects it', async () => {
    await world().ask.createStack(
      world().spec('boards', { sources: [{ kind: 'inline' }], protect: ['Label/red'] }),
      'ann',
    )
    const stackID = (await world().ask.getStack('boards')).id
    await apply(yaml(label('red'), label('blue')), { stackID })
    expect((await apply(label('blue'), { stackID })).body.message).toContain('The stack protects Label/red.')
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  })
})

test('an apply and an uninstall in a closed window are 409 and write nothing, unless the request overrides it', async () => {
  const windows = [{ kind: 'deny', schedule: '* * * * *', durationMs: 3_600_000, reason: 'freeze' }] as const
  const stackID = await applied(label('red'))
  await world().ask.updateStack(stackID, { windows }, 'ann')
  const path = `/api/v2/stacks/${stackID}`
  const query = `?orgID=${await orgOf(world())}`
  const override = { overrideWindow: true, why: 'INC-7' }
  const overriding = '&overrideWindow=true&why=INC-7'
  const runs = async (): Promise<readonly unknown[]> =>
    (await world().ask.listRuns(stackID, {})).items.filter(({ outcome }) => outcome !== null)
  const before = await runs()
  for (const ask of [
    () => apply(label('blue'), { stackID }),
    () => askWire(world(), 'POST', `${path}/uninstall${query}`),
    () => askWire(world(), 'DELETE', `${path}${query}`),
  ])
    expect(await ask()).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: expect.stringContaining('freeze') as string },
    })
  expect([await world().names(), await runs()]).toEqual([['Label/red'], before])
  expect((await apply(label('blue'), { stackID, ...override })).status).toBe(201)
  expect(await world().names()).toEqual(['Label/blue'])
  expect((await askWire(world(), 'DELETE', `${path}${query}${overriding}`)).status).toBe(204)
  expect(await world().names()).toEqual([])
})

describe('a skipped resource', () => {
  const all = yaml(label('red'), bucket('raw', { labels: ['red'] }), dashboard('ops'))

  test.each([
    ['skipKind', { kind: 'Bucket' }],
    ['skipResource', { kind: 'Bucket', resourceTemplateName: 'raw' }],
  ])('by %s is in neither diff nor summary, and stays recorded as it is', async (action, properties) => {
    const stackID = await applied(all)
    const before = await world().live()
    const actions = [{ action, properties }]
    const without = yaml(label('red'), dashboard('ops'))
    const { body } = await look(all, { stackID, actions })
    expect([body.diff.buckets, body.summary.buckets, body.diff.labelMappings]).toEqual([[], [], []])
    expect((await apply(without, { stackID, actions })).status).toBe(201)
    expect(await world().live()).toEqual(before)
    expect(Object.keys(await world().ids((await world().store.stacks.many([stackID]))[0]!.spec.name))).toContain(
      'Bucket/raw',
    )
  })

  test('as a label drops every association to it', async () => {
    const { status, body } = await look(all, { actions: [{ action: 'skipKind', properties: { kind: 'Label' } }] })
    expect([status, body.summary.labels, body.summary.labelMappings]).toEqual([200, [], []])
  })

  test('as a kind is all of its family', async () => {
    const check =
      'apiVersion: influxdata.com/v2alpha1\nkind: CheckThreshold\nmetadata:\n  name: cpu\nspec:\n  every: 1m\n  query: q\n'
    const rest = '  statusMessageTemplate: x\n  thresholds:\n    - {type: greater, level: CRIT, value: 1}\n'
    const { status, body } = await look(yaml(check + rest), {
      actions: [{ action: 'skipKind', properties: { kind: 'CheckDeadman' } }],
    })
    expect([status, body.summary.checks]).toEqual([200, []])
  })
})

describe('an apply that takes a resource over', () => {
  const windows = [{ kind: 'deny', schedule: '* * * * *', durationMs: 300_000, reason: 'freeze' }] as const

  /** `boards` owns the bucket, and writes nothing by itself. */
  async function owned(): Promise<void> {
    await world().push(bucket('raw', { every: 3600 }))
    await world().create('boards', { drift: 'ignore' })
  }
  const overridesOf = async (name: string): Promise<readonly unknown[]> =>
    (await world().ask.explainStack(name)).overrides

  test('is 409 in a closed window of the stack that owns it, and writes where the request overrides it', async () => {
    await owned()
    await world().ask.updateStack('boards', { windows }, 'ann')
    const before = await world().live()
    expect(await apply(bucket('raw', { every: 7200 }))).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^boards: .*freeze.* The window: deny \* \* \* \* \* for 5m/) as string },
    })
    expect([await world().live(), await stacks(), await overridesOf('boards')]).toEqual([before, 1, []])
    const override = { overrideWindow: true, why: 'INC-7' }
    expect((await apply(bucket('raw', { every: 7200 }), override)).status).toBe(201)
    expect((await world().live())['Bucket/raw']!.live).toMatchObject({ retentionRules: [{ everySeconds: 7200 }] })
    expect(await overridesOf('boards')).toMatchObject([
      { what: expect.stringMatching(/^take resources over into template-/) as string, why: 'INC-7' },
    ])
  })

  test('is refused while the stack that owns it is suspended, also with an override', async () => {
    await owned()
    await world().ask.suspendStack('boards', 'freeze', undefined, 'ann')
    const before = await world().live()
    for (const more of [{}, { overrideWindow: true, why: 'INC-7' }])
      expect(await apply(bucket('raw', { every: 7200 }), more)).toMatchObject({
        status: 422,
        body: {
          code: 'conflict',
          message: 'boards is suspended by ann: freeze. Resume it first: gitmoor resume boards',
        },
      })
    expect([await world().live(), await stacks()]).toEqual([before, 1])
    await world().ask.resumeStack('boards', 'ann')
    expect((await apply(bucket('raw', { every: 7200 }))).status).toBe(201)
  })

  test('succeeds if the stack declares it equally, and so writes nothing of it', async () => {
    await owned()
    await world().ask.updateStack('boards', { windows }, 'ann')
    expect((await apply(bucket('raw', { every: 3600 }))).status).toBe(201)
  })
})

describe('two stacks', () => {
  test('that declare a resource differently: the last apply wins, with a warning, and the other stack is refused and writes nothing', async () => {
    await world().push(bucket('raw', { every: 3600 }))
    await world().create('boards')
    const { body, status } = await apply(bucket('raw', { every: 7200 }))
    expect([status, body.warnings]).toMatchObject([201, [{ reason: expect.stringContaining('stack boards') }]])
    const { id, live } = (await world().live())['Bucket/raw']!
    expect(live).toMatchObject({ retentionRules: [{ everySeconds: 7200 }] })
    expect(body.summary.buckets).toMatchObject([{ id }])
    world().platform.reset()
    expect(await world().sync('boards')).toMatchObject({ outcome: 'failed', problems: [{ code: 'plan/claimed' }] })
    await hoursLater((await world().ask.getStack('boards')).id)
    expect(world().platform.writes).toEqual([])
    expect((await apply(bucket('raw', { every: 7200 }), { stackID: body.stackID })).status).toBe(201)
    expect(world().platform.writes).toEqual([])
  })

  test('of which both were applied over the API: the loser is refused by every later run, also of drift, and its status says so', async () => {
    const loser = await applied(bucket('raw', { every: 3600 }))
    expect((await world().ask.getStack(loser)).sync).toBe('Synced')
    const whileWritten: string[] = []
    world().platform.onCall(async ({ verb }) => {
      if (verb === 'update') whileWritten.push((await world().ask.getStack(loser)).sync)
    })
    await applied(bucket('raw', { every: 7200 }))
    expect(whileWritten).toEqual(['Unknown']) // so it is, too, where the agent is killed now
    expect(await world().ask.getStack(loser)).toMatchObject({ sync: 'Unknown', health: 'Unknown', checkedAt: null })
    world().platform.reset()
    await hoursLater(loser)
    const drifted = await world().ask.getStack(loser)
    expect([drifted.sync, world().condition(drifted).reason]).toEqual(['Drifted', 'Claimed'])
    expect(await world().sync(loser)).toMatchObject({ outcome: 'failed', problems: [{ code: 'plan/claimed' }] })
    await hoursLater(loser)
    await expect(world().ask.previewPlan(loser, {}, never)).rejects.toMatchObject({
      problems: [{ code: 'plan/claimed' }],
    })
    expect(world().platform.writes).toEqual([])
    expect((await world().ask.explainStack(loser)).blockers.map(({ reason }) => reason)).toEqual(['Claimed'])
  })

  test('show the loser as drifted when its sync is refused, even before its drift check', async () => {
    const loser = await applied(bucket('raw', { every: 3600 }))
    await applied(bucket('raw', { every: 7200 }))
    expect(await world().sync(loser)).toMatchObject({ outcome: 'failed', problems: [{ code: 'plan/claimed' }] })
    const view = await world().ask.getStack(loser)
    expect([view.sync, world().condition(view).reason]).toEqual(['Drifted', 'Claimed'])
  })

  test('that take a resource from each other by applying the same package again', async () => {
    const first = await applied(bucket('raw', { every: 3600 }))
    const second = await applied(bucket('raw', { every: 7200 }))
    expect((await apply(bucket('raw', { every: 3600 }), { stackID: first })).status).toBe(201)
    expect((await world().live())['Bucket/raw']!.live).toMatchObject({ retentionRules: [{ everySeconds: 3600 }] })
    expect((await world().sync(first)).outcome).toBe('unchanged')
    expect((await world().sync(second)).outcome).toBe('failed')
  })

  test('of which the later is interrupted continue the takeover, once', async () => {
    const hook = (path: string): string =>
      `apiVersion: influxdata.com/v2alpha1\nkind: NotificationEndpointSlack\nmetadata: {name: hook}\nspec: {url: 'https://x.test/${path}', token: {secretRef: {key: t}}}\n`
    await applied(hook('first'))
    const { agent } = world()
    let stopped: Promise<void> | undefined
    world().platform.onCall(async ({ verb, family }) => {
      if (verb !== 'create' || family !== 'Secret') return
      stopped ??= world().stop()
      await until('the agent stops', () => agent.stopping)
    })
    void apply(hook('second'), { secrets: { t: 'x' } }).catch(() => {})
    await until('it is cut short', () => stopped !== undefined)
    await stopped
    await world().start()
    const { items } = await world().ask.listStacks({})
    const { name, lastRun } = items.find((one) => one.lastRun!.cause.kind === 'recovery')!
    expect(await world().ended(name, lastRun!.id)).toMatchObject({ outcome: 'applied' })
    expect((await world().live())['NotificationEndpoint/hook']).toMatchObject({
      stack: name,
      live: { url: 'https://x.test/second' },
    })
    expect((await world().store.stacks.get(name))?.consent ?? null).toBeNull()
  })

  test('of which the later fails give back what it took', async () => {
    await world().push(bucket('raw', { every: 3600 }))
    await world().create('boards')
    refuse('Task')
    expect((await apply(yaml(bucket('raw', { every: 7200 }), task('tick')))).status).toBe(500)
    expect((await world().live())['Bucket/raw']).toMatchObject({
      stack: 'boards',
      live: { retentionRules: [{ everySeconds: 3600 }] },
    })
    expect((await world().sync('boards')).outcome).toBe('unchanged')
  })

  test('that declare a resource equally share it', async () => {
    await world().push(bucket('raw'))
    await world().create('boards')
    const { status, body } = await apply(bucket('raw'))
    expect([status, body.warnings]).toEqual([201, undefined])
    expect((await world().live())['Bucket/raw']!.stack).toBe('boards')
  })

  test('of five equal concurrent applies create each resource with a key once', async () => {
    const text = yaml(label('red'), bucket('raw', { labels: ['red'] }))
    const answers = await Promise.all(Array.from({ length: 5 }, () => apply(text)))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201))
    const { items } = await world().ask.listResources({ limit: 100 }, never)
    expect(items.filter(({ displayName }) => displayName === 'raw' || displayName === 'red')).toHaveLength(2)
  })
})
