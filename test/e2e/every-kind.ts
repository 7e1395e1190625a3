// One package with something of every kind, labels on most of it, and secrets: for what must hold whatever is declared.

export interface Thing {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}

const query = 'from(bucket: "raw") |> range(start: -1h)'

/** `named`: behind every display name. */
export function everyKind(named = ''): readonly Thing[] {
  const thing = (kind: string, metaName: string, spec: object, labels: readonly string[] = []): Thing => ({
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
    thing('Label', 'red', { color: '#ff0000' }),
    thing('Label', 'blue', { color: '#0000ff' }),
    thing('Bucket', 'raw', { retentionRules: [{ type: 'expire', everySeconds: 3600 }] }, ['red']),
    thing('Bucket', 'spare', {}),
    thing('Variable', 'hosts', { type: 'constant', values: ['a', 'b'] }, ['blue']),
    thing('CheckThreshold', 'hot', { ...alert, thresholds: [{ type: 'greater', level: 'CRIT', value: 9 }] }, [
      'red',
      'blue',
    ]),
    thing('CheckDeadman', 'silent', { ...alert, level: 'CRIT', timeSince: '90s', staleTime: '10m' }),
    thing('Dashboard', 'ops', { charts: [chart] }, ['red']),
    thing('NotificationEndpointHTTP', 'web', { ...hook, type: 'bearer', method: 'POST', token: `plain${named}` }, [
      'blue',
    ]),
    thing('NotificationEndpointPagerDuty', 'pager', { ...hook, routingKey: { secretRef: { key: 'routing' } } }),
    thing('NotificationEndpointSlack', 'chat', { ...hook, token: { secretRef: { key: 'chat-token' } } }),
    thing('NotificationRule', 'loud', { endpointName: 'web', every: '10m', statusRules: [{ currentLevel: 'CRIT' }] }, [
      'red',
    ]),
    thing('NotificationRule', 'paged', {
      endpointName: 'pager',
      every: '10m',
      messageTemplate: 'x',
      statusRules: [{ currentLevel: 'WARN' }],
    }),
    thing('Task', 'rollup', { every: '1h', query }, ['blue']),
    thing('Telegraf', 'agent', { config: '[agent]\n  interval = "10s"\n' }, ['red']),
  ]
}

export const everySecret = (value: string): Readonly<Record<string, string>> => ({
  routing: `routing ${value}`,
  'chat-token': `chat ${value}`,
})

/** Half of it, without what hangs on what is left out. */
export function halfOfEveryKind(): readonly Thing[] {
  const kept = new Set(['red', 'raw', 'hosts', 'hot', 'web', 'loud', 'chat', 'rollup'])
  return everyKind()
    .filter(({ metadata }) => kept.has(metadata.name))
    .map(withoutBlue)
}

function withoutBlue(thing: Thing): Thing {
  const associations = (thing.spec['associations'] ?? []) as readonly { readonly name: string }[]
  return { ...thing, spec: { ...thing.spec, associations: associations.filter(({ name }) => name !== 'blue') } }
}
