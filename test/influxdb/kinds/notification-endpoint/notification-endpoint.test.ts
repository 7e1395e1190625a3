import { describe, expect, test } from 'vitest'
import { influxdbKindsWith, noFlux } from '../../../../src/influxdb/kinds/kinds.js'
import { isParsableUrl } from '../../../../src/influxdb/kinds/notification-endpoint/parsable-url.js'
import type { Address, Identity } from '../../../../src/model/address.js'
import { Secret, type JsonObject } from '../../../../src/model/json.js'
import type { Kind } from '../../../../src/model/resources/kind.js'
import { readPackage } from '../../../../src/package/package.js'
import { buildYaml, doc, docs, file } from '../../read-texts.js'
import { describeRemarks, describeRules } from '../describe-rules.js'
import { stateOf, kindNamed, nowhere, plain, wireOf } from '../desired-state.js'

const url = 'https://hooks.example.com/a'
const http = (spec: object, name = 'hook'): string =>
  doc('NotificationEndpointHTTP', name, { url, method: 'POST', type: 'none', ...spec })
const pager = (spec: object): string => doc('NotificationEndpointPagerDuty', 'duty', { url, routingKey: 'k', ...spec })
const slack = (spec: object, name = 'chat'): string => doc('NotificationEndpointSlack', name, { url, ...spec })
const basic = { type: 'basic', username: 'u', password: 'p' }
const secretRef = (key: string): object => ({ secretRef: { key } })

describe('a rule of notification endpoints', () => {
  describeRules({
    'an HTTP endpoint has a url': [http({}), http({ url: '' }), 'root[0].spec.url kinds/required'],
    'a PagerDuty endpoint has a url': [pager({}), pager({ url: null }), 'root[0].spec.url kinds/required'],
    'a Slack endpoint has a url': [slack({}), slack({ url: null }), 'root[0].spec.url kinds/required'],
    'a url parses': [
      slack({ url: '/relative path' }),
      slack({ url: 'http://a b' }),
      'root[0].spec.url kinds/not-allowed',
    ],
    'a status is active or inactive': [
      pager({ status: 'INACTIVE' }),
      pager({ status: 'off' }),
      'root[0].spec.status kinds/not-allowed',
    ],
    'a method is known, in any case': [
      http({ method: ' put ' }),
      http({ method: 'TRACE' }),
      'root[0].spec.method kinds/not-allowed',
    ],
    'a method is one that InfluxDB takes': [
      http({ method: 'GET' }),
      http({ method: 'PATCH' }),
      'root[0].spec.method kinds/not-allowed',
    ],
    'a method is needed': [http({}), http({ method: null }), 'root[0].spec.method kinds/not-allowed'],
    'a type is none, basic or bearer, in any case': [
      http({ type: 'None' }),
      http({ type: 'digest' }),
      'root[0].spec.type kinds/not-allowed',
    ],
    'a type is needed': [http({}), http({ type: null }), 'root[0].spec.type kinds/not-allowed'],
    'basic needs a username and a password': [
      http(basic),
      http({ type: 'basic' }),
      'root[0].spec.password kinds/required',
      'root[0].spec.username kinds/required',
    ],
    'bearer needs a token': [
      http({ type: 'bearer', token: secretRef('t') }),
      http({ type: 'bearer' }),
      'root[0].spec.token kinds/required',
    ],
    'a secretRef has a key': [
      http({ type: 'bearer', token: { envRef: { key: 'a' } } }),
      http({ type: 'bearer', token: { secretRef: {} } }),
      'root[0].spec.token kinds/required',
    ],
    'PagerDuty needs a routing key': [
      pager({ routingKey: secretRef('r') }),
      pager({ routingKey: null }),
      'root[0].spec.routingKey kinds/required',
    ],
    'Slack needs no token': [slack({}), slack({ name: '', url: ':' }), 'root[0].spec.url'],
    'all kinds are one family of metaNames': [
      docs(http({}), slack({})),
      docs(http({}), slack({}, 'hook')),
      'root[1].metadata.name graph/duplicate',
    ],
    'all kinds are one family of display names, with regard to case': [
      docs(http({}), slack({ name: 'Hook' })),
      docs(http({}), slack({ name: 'hook' })),
      'root[1].spec.name graph/duplicate-name',
    ],
    'an endpoint bears labels that are declared': [
      docs(doc('Label', 'red'), pager({ associations: [{ kind: 'Label', name: 'red' }] })),
      pager({ url: null, associations: [{ kind: 'Label', name: 'red' }] }),
      'root[0].spec.url',
      'root[0].associations[0] graph/undeclared',
    ],
    'all errors of an endpoint are reported': [
      http({}),
      doc('NotificationEndpointHTTP', 'hook', { status: 'x' }),
      'root[0].spec.url',
      'root[0].spec.status',
      'root[0].spec.method',
      'root[0].spec.type',
    ],
  })

  describeRemarks({
    'a credential that the type does not use': [
      http({ token: { secretRef: { key: 't' } } }),
      'root[0].spec.token',
      'kinds/no-effect',
    ],
    'a credential as plain text': [slack({ token: 't' }), 'root[0].spec.token', 'kinds/plain-credential'],
    'a credential that is not a text': [slack({ token: true }), 'root[0].spec.token', 'kinds/wrong-type'],
    'an unknown field': [slack({ channel: '#a' }), 'root[0].spec.channel', 'kinds/unknown-field'],
  })
})

test.each<readonly [string, boolean]>([
  ['http://localhost:8080/a?b=%zz', true],
  ['mailto:ops@example.com', true],
  ['example.com/hook', true],
  ['http://[::1]:80/', true],
  ['http://user:word@example.com', true],
  ['https://bücher.example/', true],
  ['', false],
  ['http://a:port', false],
  ['http://a b/', false],
  ['http://example.com/%zz', false],
  ['http://[::1', false],
  ['a:b/c d:', true],
  ['1a:b', false],
  [':a', false],
  ['a\nb', false],
  ['#%z', false],
])('%j is parsed as InfluxDB parses it: %s', (text, parses) => {
  expect(isParsableUrl(text)).toBe(parses)
})

/** Kinds with fingerprints that differ for different values. */
const kinds = influxdbKindsWith({ conceal: (value) => new Secret(value, `of ${value.length}`), flux: noFlux })
const endpoints = kinds.filter(({ family }) => family === 'NotificationEndpoint')

function decoded(
  text: string,
  values: ReadonlyMap<string, string> = new Map(),
): { readonly kind: Kind; readonly spec: unknown; readonly state: JsonObject } {
  const [document] = readPackage([file('a.yml', text)], { values }).value
  const kind = kinds.find((one) => one.kind === document!.kind)!
  const { value: spec } = kind.decode(document!)
  return { kind, spec, state: kind.normalise(kind.encode(spec, () => null)) }
}

const common = { name: 'hook', description: '', url, status: 'active' }
const noCredentials = { username: null, password: null, token: null, routingKey: null }

describe('the state of an endpoint', () => {
  test('is every field, credentials as what cannot be printed', () => {
    const { state } = decoded(http(basic))
    expect(state).toMatchObject({ ...common, type: 'http', method: 'POST', authMethod: 'basic', token: null })
    expect((state['password'] as Secret).reveal()).toBe('p')
    expect(JSON.stringify(state)).toContain('"username":"(secret of 1)"')
  })

  test('has no credential that its type does not use', () => {
    expect(decoded(http({ ...basic, type: 'none' })).state).toEqual({
      ...common,
      type: 'http',
      method: 'POST',
      authMethod: 'none',
      ...noCredentials,
    })
  })

  test('has null for a missing optional credential, so that omitting it removes it', () => {
    expect(stateOf(slack({}))).toEqual({ ...common, name: 'chat', type: 'slack', ...noCredentials })
  })

  test('has the key of a secretRef, and of an envRef the given value, its default or the placeholder', () => {
    expect(decoded(pager({ routingKey: secretRef('r') })).state).toMatchObject({
      type: 'pagerduty',
      routingKey: { secretRef: { key: 'r' } },
    })
    const token = (more: object, values?: ReadonlyMap<string, string>): string =>
      (decoded(slack({ token: { envRef: { key: 'e', ...more } } }), values).state['token'] as Secret).reveal()
    expect([token({}, new Map([['e', 'given']])), token({ default: 'd' }), token({})]).toEqual(['given', 'd', 'env-e'])
  })

  test('is in one spelling, whichever kind reads it', () => {
    const live = { type: 'http', method: 'post', status: ' Active' }
    const once = { type: 'http', method: 'POST', status: 'active' }
    expect(endpoints.map((kind) => kind.normalise(live))).toEqual(endpoints.map(() => once))
    expect(endpoints.length).toBe(3)
  })

  test('is found by its name with regard to case', () => {
    expect(kindNamed('NotificationEndpointSlack').matching!.key({ name: 'Chat' })).toBe('Chat')
  })
})

describe('what an endpoint refers to', () => {
  test('are secrets, which go first where the package brings them', () => {
    const { kind, spec } = decoded(
      http({ type: 'basic', username: secretRef('k'), password: secretRef('k'), token: secretRef('unused') }),
    )
    expect(kind.inputs!.secretReferences!(spec)).toEqual(['k', 'unused'])
    expect(kind.references(spec)).toEqual([
      { to: 'Secret/k', optional: true },
      { to: 'Secret/unused', optional: true },
    ])
    expect(
      buildYaml(pager({ routingKey: secretRef('r') })).value.byAddress.get('NotificationEndpoint/duty' as Address)!
        .edges,
    ).toEqual([])
  })

  test('are env keys of credentials, which are needed but not listed', () => {
    const { kind, spec } = decoded(
      http({ name: { envRef: { key: 'n' } }, type: 'bearer', token: { envRef: { key: 't', default: 'd' } } }),
    )
    expect(kind.inputs!.envReferences(spec)).toMatchObject([
      { field: 'spec.name', key: 'n' },
      { field: 'spec.token', key: 't', defaultValue: 'd', unlisted: true },
    ])
  })

  test('no plain credential appears in a problem', () => {
    const text = http({
      type: 'basic',
      username: 'canary-name',
      token: 'canary-token',
      url: '',
      password: ['canary-word'],
    })
    const { problems } = buildYaml(text)
    expect(problems.length).toBeGreaterThan(2)
    expect(JSON.stringify(problems)).not.toContain('canary')
  })
})

describe('the wire format of an endpoint', () => {
  const id = '00000000000000aa' as Identity
  const orgID = '00000000000000bb'
  const there = { ...nowhere, id, orgID }
  const times = { createdAt: '0001-01-01T00:00:00Z', updatedAt: '0001-01-01T00:00:00Z' }
  const document = { orgID, name: 'hook', description: '', status: 'active', ...times }

  test('has secrets by their keys only: of a plain value the key that the target gives', () => {
    const { state } = decoded(http({ type: 'basic', username: secretRef('who'), password: 'p' }))
    const shown = {
      ...document,
      url,
      type: 'http',
      method: 'POST',
      authMethod: 'basic',
      contentTemplate: '',
      token: '',
    }
    const diff = { ...shown, id, username: 'secret: who', password: `secret: ${id}-password` }
    expect(wireOf('NotificationEndpointHTTP', state, {}, there)).toEqual({
      diff,
      summary: { notificationEndpoint: diff },
    })
    const { id: _none, ...notThere } = { ...diff, orgID: '', password: '' }
    expect(wireOf('NotificationEndpointHTTP', state).diff).toEqual(notThere)
  })

  test('calls the url of PagerDuty what the target calls it', () => {
    const { diff } = wireOf('NotificationEndpointPagerDuty', decoded(pager({ name: 'hook' })).state, {}, there)
    expect(diff).toEqual({
      ...document,
      id,
      type: 'pagerduty',
      clientURL: url,
      routingKey: `secret: ${id}-routing-key`,
    })
  })

  test('of Slack has a url and a token', () => {
    const { diff } = wireOf('NotificationEndpointSlack', decoded(slack({ name: 'hook' })).state, {}, there)
    expect(diff).toEqual({ ...document, id, type: 'slack', url, token: '' })
  })
})

describe('an exported endpoint', () => {
  const id = '00000000000000aa' as Identity
  const declared = (text: string): unknown => {
    const { kind, state } = decoded(text)
    return plain(kind.authored!.declare(state, () => undefined, id))
  }

  test('has secrets as secretRefs with the keys of the target, never as values', () => {
    expect(declared(http({ ...basic, username: secretRef('who') }))).toEqual({
      name: 'hook',
      url,
      status: 'active',
      method: 'POST',
      type: 'basic',
      username: secretRef('who'),
      password: secretRef(`${id}-password`),
    })
    expect(declared(pager({ status: 'inactive' }))).toEqual({
      name: 'duty',
      url,
      status: 'inactive',
      routingKey: secretRef(`${id}-routing-key`),
    })
    expect(declared(slack({ description: 'd' }))).toEqual({ name: 'chat', description: 'd', url, status: 'active' })
  })

  test('is declared by its own kind only', () => {
    const { state } = decoded(slack({}))
    const by = endpoints.filter((kind) => kind.authored!.declare(state, () => undefined, id) !== undefined)
    expect(by.map(({ kind }) => kind)).toEqual(['NotificationEndpointSlack'])
  })
})
