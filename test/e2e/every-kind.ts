// One package with something of every kind, labels on most of it, and secrets: for what must hold whatever is declared.

export interface Thing {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}

const query = 'from(bucket: "raw") |> range(start: -1h)'
/** InfluxDB refuses a threshold check unless its query has one field. */
const oneField = `${query} |> filter(fn: (r) => r._field == "usage")`

/** `named`: behind every display name. */
export function everyKind(named = ''): readonly Thing[] {
  const resource = (kind: string, metaName: string, spec: object, labels: readonly string[] = []): Thing => ({
    apiVersion: 'influxdata.com/v2alpha1',
    kind,
    metadata: { name: metaName },
    spec: {
      name: `${metaName}${named}`,
      ...spec,
      ...(labels.length === 0 ? {} : { associations: labels.map((name) => ({ kind: 'Label', name })) }),
    },
  })
  const alert = { every: '5m', query, statusMessageTemplate: 'gone' }
  const hook = { url: 'https://hooks.example/x' }
  const chart = {
    kind: 'single_stat',
    name: 'a',
    width: 2,
    height: 1,
    queries: [{ query }],
    colors: [{ hex: '#00ff00', value: 1 }],
  }
  return [
    resource('Label', 'red', { color: '#ff0000' }),
    resource('Label', 'blue', { color: '#0000ff' }),
    resource('Bucket', 'raw', { retentionRules: [{ type: 'expire', everySeconds: 3600 }] }, ['red']),
    resource('Bucket', 'spare', {}),
    resource('Variable', 'hosts', { type: 'constant', values: ['a', 'b'] }, ['blue']),
    resource(
      'CheckThreshold',
      'hot',
      { ...alert, query: oneField, thresholds: [{ type: 'greater', level: 'CRIT', value: 9 }] },
      ['red', 'blue'],
    ),
    resource('CheckDeadman', 'silent', { ...alert, level: 'CRIT', timeSince: '90s', staleTime: '10m' }),
    resource('Dashboard', 'ops', { charts: [chart] }, ['red']),
    resource('NotificationEndpointHTTP', 'web', { ...hook, type: 'bearer', method: 'POST', token: `plain${named}` }, [
      'blue',
    ]),
    resource('NotificationEndpointPagerDuty', 'pager', { ...hook, routingKey: { secretRef: { key: 'routing' } } }),
    resource('NotificationEndpointSlack', 'chat', { ...hook, token: { secretRef: { key: 'chat-token' } } }),
    resource(
      'NotificationRule',
      'loud',
      { endpointName: 'web', every: '10m', statusRules: [{ currentLevel: 'CRIT' }] },
      ['red'],
    ),
    resource('NotificationRule', 'paged', {
      endpointName: 'pager',
      every: '10m',
      messageTemplate: 'x',
      statusRules: [{ currentLevel: 'WARN' }],
    }),
    resource('Task', 'rollup', { every: '1h', query }, ['blue']),
    resource('Telegraf', 'agent', { config: '[agent]\n  interval = "10s"\n' }, ['red']),
  ]
}

export const everySecret = (value: string): Readonly<Record<string, string>> => ({
  routing: `routing ${value}`,
  'chat-token': `chat ${value}`,
})

/** Half of the resources, without those that need another one. */
export function halfOfEveryKind(): readonly Thing[] {
  const kept = new Set(['red', 'raw', 'hosts', 'hot', 'web', 'loud', 'chat', 'rollup'])
  return everyKind()
    .filter(({ metadata }) => kept.has(metadata.name))
    .map(withoutBlue)
}

function withoutBlue(resource: Thing): Thing {
  const associations = (resource.spec['associations'] ?? []) as readonly { readonly name: string }[]
  return { ...resource, spec: { ...resource.spec, associations: associations.filter(({ name }) => name !== 'blue') } }
}
