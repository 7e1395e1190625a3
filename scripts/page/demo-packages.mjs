// The packages of the fleet in pictures of the page: seven teams, each with a label, two buckets, a task, a dashboard
// and a check. A commit changes some of them.

const teams = ['billing', 'catalog', 'checkout', 'edge-cache', 'machines', 'payments', 'search']

const document = (kind, name, spec) =>
  JSON.stringify({ apiVersion: 'influxdata.com/v2alpha1', kind, metadata: { name }, spec })

/** What a team declares. `history`: seconds in the measurements; others are what commits change. */
function packageOf(
  team,
  { history = 1_209_600, every = '30m0s', charts = 4, check = false, rollup = true, title, text } = {},
) {
  const label = [{ kind: 'Label', name: team }]
  const name = title ?? `${team[0].toUpperCase()}${team.slice(1)} overview`
  const panel = (at) => ({
    kind: 'Single_Stat',
    name: ['CPU', 'Memory', 'Requests', 'Errors'][at],
    xPos: (at % 3) * 4,
    yPos: Math.floor(at / 3) * 3,
    width: at === 3 ? 8 : 4,
    height: 3,
    decimalPlaces: 1,
    colors: [{ name: 'laser', type: 'text', hex: '#00C9FF' }],
    queries: [{ query: `from(bucket: "${team}-measurements") |> range(start: -5m) |> mean()` }],
  })
  const expire = (everySeconds) => [{ type: 'expire', everySeconds }]
  return [
    document('Label', team, { name: team, color: '#4591ED' }),
    document('Bucket', `${team}-measurements`, {
      name: `${team}-measurements`,
      description: text ?? `Raw measurements of ${team}`,
      retentionRules: expire(history),
      associations: label,
    }),
    ...(rollup
      ? [
          document('Bucket', `${team}-rollup`, {
            name: `${team}-rollup`,
            retentionRules: expire(31_536_000),
            associations: label,
          }),
        ]
      : []),
    document('Dashboard', team, {
      name,
      associations: label,
      charts: Array.from({ length: charts }, (_, at) => panel(at)),
    }),
    document('Task', `${team}-rollup`, {
      name: `${team}-rollup`,
      every,
      query: `from(bucket: "${team}-measurements")\n  |> range(start: -1h)\n  |> aggregateWindow(every: 10m, fn: mean)\n  |> to(bucket: "${team}-rollup")`,
      associations: label,
    }),
    ...(check ? [checkOf(team)] : []),
  ].join('\n---\n')
}

function checkOf(team) {
  return document('CheckThreshold', `${team}-errors`, {
    name: `${team} errors`,
    every: '1m',
    query: `from(bucket: "${team}-measurements") |> range(start: -1m) |> aggregateWindow(every: 1m, fn: mean)`,
    statusMessageTemplate: 'Check: ${ r._check_name } is ${ r._level }',
    thresholds: [{ type: 'greater', level: 'CRIT', value: 90, allValues: false }],
  })
}

const everyTeam = (settings) => Object.fromEntries(teams.map((team) => [team, packageOf(team, settings)]))

/** The commits, oldest first: who, what, and the file of each team that differs from the commit before. */
export const commits = [
  { by: 'Mei Tan', message: 'Seven packages, one for each team', files: everyTeam({}) },
  {
    by: 'Jon Berg',
    message: 'Show memory beside the processor',
    files: { billing: packageOf('billing', { charts: 3 }), payments: packageOf('payments', { charts: 3 }) },
  },
  { by: 'Mei Tan', message: 'Roll up twice an hour', files: everyTeam({ every: '15m0s' }) },
  {
    by: 'Jon Berg',
    message: 'Keep raw payments for three days',
    files: { payments: packageOf('payments', { every: '15m0s', text: 'Raw payments, kept for three days' }) },
  },
  {
    by: 'Ana Ruiz',
    message: 'Payments: declined cards in place of errors',
    files: { payments: packageOf('payments', { every: '15m0s', title: 'Payments and declined cards' }) },
  },
  { by: 'Mei Tan', message: 'An alert on errors for each team', files: everyTeam({ every: '15m0s', check: true }) },
  {
    by: 'Jon Berg',
    message: 'Checkout keeps thirty days and rolls up in place',
    files: {
      checkout: packageOf('checkout', {
        every: '10m0s',
        check: true,
        history: 2_592_000,
        rollup: false,
        title: 'Checkout',
        text: 'Raw measurements, thirty days',
      }),
      search: packageOf('search', { every: '15m0s', check: true }).replace('"every":"15m0s"', '"every":"soon"'),
    },
  },
]

export { teams }
