// The states that a package with every kind goes through: made, changed, and with half of its resources removed.
import { everyKind, halfOfEveryKind, type Thing } from '../../e2e/every-kind.js'

const query = 'from(bucket: "raw") |> range(start: -1h)'

const cell = (name: string, xPos: number, more: object = {}): object => ({
  kind: 'single_stat',
  name,
  xPos,
  yPos: 0,
  width: 2,
  height: 1,
  queries: [{ query }],
  colors: [{ hex: '#00ff00', value: 1 }],
  ...more,
})

const drawn = [cell('first', 0), cell('second', 2), cell('third', 4)]
/** The first cell moves, the second one changes, the third one goes, and a fourth one comes. */
const redrawn = [cell('first', 6), cell('second', 2, { height: 3 }), cell('fourth', 8)]

/** Fields beside the description, by name. */
const revisions: Readonly<Record<string, object>> = {
  red: { color: '#aa0000' },
  raw: { retentionRules: [{ type: 'expire', everySeconds: 7200 }] },
  hosts: { values: ['b', 'c'] },
  hot: { every: '10m', associations: [{ kind: 'Label', name: 'red' }] },
  silent: { level: 'WARN' },
  ops: { charts: redrawn },
  web: { url: 'https://hooks.example/y', token: 'another' },
  pager: { routingKey: 'plain-now' },
  chat: { url: 'https://hooks.example/z' },
  loud: { every: '20m' },
  rollup: { every: '2h', associations: [{ kind: 'Label', name: 'red' }] },
  agent: { config: '[agent]\n  interval = "20s"\n' },
}

function withSpec(one: Thing, more: object): Thing {
  return { ...one, spec: { ...one.spec, ...more } }
}

/** With three cells on its dashboard. */
function withCells(things: readonly Thing[]): readonly Thing[] {
  return things.map((one) => (one.metadata.name === 'ops' ? withSpec(one, { charts: drawn }) : one))
}

const made = withCells(everyKind())
const changed = made.map((one) =>
  withSpec(one, { description: `the ${one.metadata.name}`, ...revisions[one.metadata.name] }),
)

/** Package texts, in the order in which they are applied. */
export const packageTurns: Readonly<Record<'a first apply' | 'an update' | 'a removal', string>> = {
  'a first apply': JSON.stringify(made),
  'an update': JSON.stringify(changed),
  'a removal': JSON.stringify(withCells(halfOfEveryKind())),
}
