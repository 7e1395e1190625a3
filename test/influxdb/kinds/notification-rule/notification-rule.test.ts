import { describe, expect, test } from 'vitest'
import type { KnownResource, WireContext } from '../../../../src/influxdb/kinds/kinds.js'
import type { Address, Identity } from '../../../../src/model/address.js'
import { Unknown } from '../../../../src/model/json.js'
import { errorsOf } from '../../../../src/model/problem.js'
import { buildYaml, doc, docs } from '../../read-texts.js'
import { describeRemarks, describeRules } from '../describe-rules.js'
import { stateOf, kindNamed, plain, wireOf } from '../desired-state.js'

const url = 'https://hooks.example.com/a'
const chat = doc('NotificationEndpointSlack', 'chat', { url })
const web = doc('NotificationEndpointHTTP', 'chat', { url, method: 'POST', type: 'none' })
const pager = doc('NotificationEndpointPagerDuty', 'chat', { url, routingKey: 'k' })
const given = {
  endpointName: 'chat',
  every: '10m',
  messageTemplate: '${ r._message }',
  statusRules: [{ currentLevel: 'CRIT' }],
}
const rule = (spec: object, name = 'page'): string => docs(doc('NotificationRule', name, { ...given, ...spec }), chat)
const tag = (of: object): string =>
  rule({
    tagRules: [
      { key: 'a', value: 'b', operator: 'equal' },
      { key: 'a', value: 'b', ...of },
    ],
  })
const level = (of: object): string => rule({ statusRules: [{ currentLevel: 'OK' }, of] })

describe('a rule of notification rules', () => {
  describeRules({
    'a rule names an endpoint': [rule({}), rule({ endpointName: null }), 'root[0].spec.endpointName kinds/required'],
    'the endpoint is declared in the package': [
      rule({}),
      rule({ endpointName: 'other' }),
      'root[0].spec.endpointName graph/undeclared',
    ],
    'the endpoint is named by its metaName': [
      docs(doc('NotificationRule', 'page', given), doc('NotificationEndpointSlack', 'chat', { url, name: 'Chat' })),
      docs(doc('NotificationRule', 'page', given), doc('NotificationEndpointSlack', 'other', { url, name: 'chat' })),
      'root[0].spec.endpointName graph/undeclared',
    ],
    'an endpoint in error is declared': [
      rule({}),
      docs(doc('NotificationRule', 'page', given), doc('NotificationEndpointSlack', 'chat', {})),
      'root[1].spec.url',
    ],
    'an envRef may name the endpoint': [
      rule({ endpointName: { envRef: { key: 'a', default: 'chat' } } }),
      rule({ endpointName: { envRef: { key: 'a' } } }),
      'root[0].spec.endpointName graph/undeclared',
    ],
    'a rule has an interval': [rule({}), rule({ every: null }), 'root[0].spec.every kinds/required'],
    'an interval is a duration': [rule({ every: '1d' }), rule({ every: 'daily' }), 'root[0].spec.every kinds/required'],
    'an interval is in whole seconds': [
      rule({ every: '1m' }),
      rule({ every: '500ms' }),
      'root[0].spec.every kinds/not-allowed',
    ],
    'an offset is below the interval': [
      rule({ offset: '9m' }),
      rule({ offset: '10m' }),
      'root[0].spec.offset kinds/not-allowed',
    ],
    'a rule for Slack has a message': [
      rule({}),
      rule({ messageTemplate: '' }),
      'root[0].spec.messageTemplate kinds/required',
    ],
    'a rule for PagerDuty has a message, one for HTTP needs none': [
      docs(doc('NotificationRule', 'page', { ...given, messageTemplate: null }), web),
      docs(doc('NotificationRule', 'page', { ...given, messageTemplate: null }), pager),
      'root[0].spec.messageTemplate kinds/required',
    ],
    'a message and a channel are texts of Flux': [
      rule({ messageTemplate: 'a "b" ${ r.c }', channel: '#a' }),
      rule({ messageTemplate: '${ r["c"] }', channel: '${' }),
      'root[0].spec.channel kinds/flux-syntax',
      'root[0].spec.messageTemplate kinds/flux-syntax',
    ],
    'a name has no code in it': [
      rule({ name: 'a $' }),
      rule({ name: 'a ${b}' }),
      'root[0].spec.name kinds/flux-syntax',
    ],
    'a tag rule has a key and a value': [
      tag({ operator: 'equal' }),
      tag({ operator: 'equal', key: '', value: null }),
      'root[0].spec.tagRules[1].key kinds/required',
      'root[0].spec.tagRules[1].value kinds/required',
    ],
    'a status is active or inactive': [
      rule({ status: 'inactive' }),
      rule({ status: 'on' }),
      'root[0].spec.status kinds/not-allowed',
    ],
    'a rule has status rules': [rule({}), rule({ statusRules: [] }), 'root[0].spec.statusRules kinds/required'],
    'a current level is known, in any case': [
      level({ currentLevel: 'any' }),
      level({ currentLevel: 'BAD' }),
      'root[0].spec.statusRules.currentLevel[1] kinds/not-allowed',
    ],
    'a previous level is known, or absent': [
      level({ currentLevel: 'warn', previousLevel: '' }),
      level({ previousLevel: 'BAD' }),
      'root[0].spec.statusRules.currentLevel[1]',
      'root[0].spec.statusRules.previousLevel[1] kinds/not-allowed',
    ],
    'an operator is known, in any case': [
      tag({ operator: 'NotEqualRegex' }),
      tag({ operator: 'like' }),
      'root[0].spec.tagRules.operator[1] kinds/not-allowed',
    ],
    'an operator is needed': [tag({ operator: 'notequal' }), tag({}), 'root[0].spec.tagRules.operator[1]'],
    'rules may share a display name': [
      docs(rule({}), doc('NotificationRule', 'other', { ...given, name: 'page' })),
      docs(rule({}), doc('NotificationRule', 'page', given)),
      'root[2].metadata.name graph/duplicate',
    ],
    'a rule bears labels that are declared': [
      docs(doc('Label', 'red'), rule({ associations: [{ kind: 'Label', name: 'red' }] })),
      rule({ endpointName: 'other', associations: [{ kind: 'Label', name: 'red' }] }),
      'root[0].spec.endpointName',
      'root[0].associations[0]',
    ],
    'all errors of a rule are reported': [
      rule({}),
      doc('NotificationRule', 'page', { status: 'x' }),
      'root[0].spec.endpointName',
      'root[0].spec.every',
      'root[0].spec.status',
      'root[0].spec.statusRules',
    ],
  })

  describeRemarks({
    'an offset that is not a duration': [rule({ offset: 'soon' }), 'root[0].spec.offset', 'kinds/wrong-type'],
    'an unknown field of a status rule': [
      level({ currentLevel: 'OK', level: 'OK' }),
      'root[0].spec.statusRules[1].level',
      'kinds/unknown-field',
    ],
    'an unknown field of a tag rule': [
      tag({ operator: 'equal', op: '' }),
      'root[0].spec.tagRules[1].op',
      'kinds/unknown-field',
    ],
  })

  test('an undeclared endpoint has the line where it is named', () => {
    const text = `apiVersion: influxdata.com/v2alpha1\nkind: NotificationRule\nmetadata: {name: page}\nspec:\n  every: 1m\n  endpointName: chat\n  statusRules: [{currentLevel: OK}]\n`
    expect(errorsOf(buildYaml(text).problems)).toMatchObject([
      { message: expect.stringContaining('NotificationEndpoint/chat'), place: { line: 6 } },
    ])
  })
})

const held = {
  name: 'page',
  description: '',
  channel: '',
  every: '10m0s',
  offset: '0s',
  messageTemplate: '${ r._message }',
  status: 'active',
  statusRules: [{ currentLevel: 'CRIT', previousLevel: '' }],
  tagRules: [],
}

describe('the state of a rule', () => {
  test('is every field, the endpoint by its id and unknown until it is there', () => {
    const { value } = buildYaml(rule({}))
    const { kind, spec, edges } = value.byAddress.get('NotificationRule/page' as Address)!
    const text = 'spec.endpointName'
    expect(edges).toEqual([{ to: 'NotificationEndpoint/chat', why: 'reference', text }])
    expect(value.resources.map(({ address }) => address)).toEqual([
      'NotificationEndpoint/chat',
      'NotificationRule/page',
    ])
    expect(kind.normalise(kind.encode(spec, ({ to }) => `id of ${to}`))).toEqual({
      ...held,
      endpointID: 'id of NotificationEndpoint/chat',
    })
    expect(kind.encode(spec, ({ to }) => new Unknown(to, 'id'))['endpointID']).toBeInstanceOf(Unknown)
  })

  test('is sorted where order means nothing', () => {
    const statusRules = [
      { currentLevel: 'warn', previousLevel: 'ok' },
      { currentLevel: 'WARN' },
      { currentLevel: 'CRIT' },
    ]
    const tagRules = [
      { key: 'b', value: '1', operator: 'EQUAL' },
      { key: 'a', value: '2', operator: 'notequal' },
      { key: 'a', value: '2', operator: 'equal' },
    ]
    const { value } = buildYaml(rule({ statusRules, tagRules }))
    const { kind, spec } = value.byAddress.get('NotificationRule/page' as Address)!
    expect(kind.normalise(kind.encode(spec, () => ''))).toMatchObject({
      statusRules: [
        { currentLevel: 'CRIT', previousLevel: '' },
        { currentLevel: 'WARN', previousLevel: '' },
        { currentLevel: 'WARN', previousLevel: 'OK' },
      ],
      tagRules: [
        { key: 'a', value: '2', operator: 'equal' },
        { key: 'a', value: '2', operator: 'notequal' },
        { key: 'b', value: '1', operator: 'equal' },
      ],
    })
  })

  test('is never found by its name', () => {
    expect('key' in kindNamed('NotificationRule')).toBe(false)
  })
})

const endpoint: KnownResource = {
  id: '00000000000000cc',
  name: 'Chat',
  metaName: 'chat',
  kind: 'NotificationEndpointSlack',
  state: {},
}
const context: WireContext = {
  id: '00000000000000aa' as Identity,
  orgID: '00000000000000bb',
  known: (family, which) =>
    family === 'NotificationEndpoint' &&
    ('id' in which ? which.id === endpoint.id : which.metaName === endpoint.metaName)
      ? endpoint
      : undefined,
}

describe('the wire format of a rule', () => {
  const { channel: _channel, status: _status, ...fields } = held

  test.each([
    ['by its id', endpoint.id],
    ['by who it will be', new Unknown('NotificationEndpoint/chat' as Address, 'id')],
  ])('has the endpoint of a diff %s', (_how, endpointID) => {
    const ends = { endpointID: endpoint.id, endpointName: 'chat', endpointType: 'slack' }
    const spec = { endpointName: 'chat', messageTemplate: held['messageTemplate'] }
    expect(wireOf('NotificationRule', { ...held, endpointID }, spec, context)).toEqual({
      diff: { ...fields, ...ends },
      summary: {
        ...fields,
        id: context.id,
        status: 'active',
        endpointID: endpoint.id,
        endpointTemplateMetaName: 'chat',
        endpointType: 'slack',
      },
    })
  })

  test('has an endpoint that no package declares by its display name', () => {
    const undeclared: WireContext = { ...context, known: () => ({ ...endpoint, metaName: '' }) }
    const { diff } = wireOf(
      'NotificationRule',
      { ...held, endpointID: endpoint.id },
      { endpointName: 'chat' },
      undeclared,
    )
    expect(diff).toMatchObject({ endpointID: endpoint.id, endpointName: 'Chat' })
  })

  test('has no endpoint where it is not known', () => {
    const { diff, summary } = wireOf(
      'NotificationRule',
      { ...held, endpointID: 'gone' },
      { endpointName: 'gone' },
      context,
    )
    expect(diff).toMatchObject({ endpointID: '', endpointName: '', endpointType: '' })
    expect(summary).toMatchObject({ endpointID: '', endpointTemplateMetaName: '', endpointType: '' })
  })
})

test.each([
  ['slack', { channel: '#a', messageTemplate: 'm' }],
  ['pagerduty', { channel: '', messageTemplate: 'm' }],
  ['http', { channel: '', messageTemplate: '' }],
])('a rule of an endpoint of type %s has the fields that such a rule uses', (type, used) => {
  const text = docs(chat, doc('NotificationRule', 'page', { ...given, channel: '#a', messageTemplate: 'm' }))
  const { spec, kind } = buildYaml(text).value.resources.find(({ address }) => address === 'NotificationRule/page')!
  const state = kind.encode(spec, ({ output = 'id' }) => (output === 'type' ? type : 'cc'))
  expect(state).toMatchObject({ endpointID: 'cc', ...used })
  const { summary } = wireOf('NotificationRule', state, spec as object, context)
  expect(summary).toMatchObject({ messageTemplate: 'm' })
})

test('an exported rule is as it was declared, its endpoint by the metaName that it has there', () => {
  const spec = { name: 'page', channel: '#a', every: '10m0s', offset: '5s', messageTemplate: 'm', status: 'inactive' }
  const statusRules = [{ currentLevel: 'CRIT' }, { currentLevel: 'WARN', previousLevel: 'OK' }]
  const tagRules = [{ key: 'a', value: 'b', operator: 'equal' }]
  const one = stateOf(docs(chat, doc('NotificationRule', 'page', { ...given, ...spec, statusRules, tagRules })))
  const declared = kindNamed('NotificationRule').authored!.declare(
    { ...one, endpointID: 'cc' },
    (family, id) => `${family}-${id}`,
    '' as Identity,
  )
  expect(plain(declared)).toEqual({ ...spec, endpointName: 'NotificationEndpoint-cc', statusRules, tagRules })
})
