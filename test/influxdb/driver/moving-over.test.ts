// Moving over from InfluxDB's own stacks on a real server: what they list is taken over as it is, and an export of an
// organisation is a package that changes nothing.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { JsonObject } from '../../../src/model/json.js'
import { printYamlPackage } from '../../../src/package/print-package.js'
import type { ImportView } from '../../../src/views/packages/import.js'
import { corpusCases, corpusText, hasCorpus, type CorpusRow } from '../../corpus.js'
import { inMemory } from '../../e2e/hosting.js'
import { World } from '../../e2e/world.js'
import { writeNewDataDirectory } from '../../new-data-directory.js'
import { never } from '../../source/git-world.js'
import { ask, newOrganisation, realServer } from './server.js'
import { serverUnderTest } from './server-under-test.js'

const server = realServer()

interface Moving {
  readonly world: World
  readonly orgID: string
  /** Requests of gitmoor that change something. */
  readonly writes: () => readonly string[]
  /** As `influx apply` does. Returns the id of the stack. */
  readonly influxApply: (text: string, stackID?: string) => Promise<string>
}

/** An agent and an organisation of its own. */
async function moving(work: (moving: Moving) => Promise<void>): Promise<void> {
  const organisation = await newOrganisation(server!)
  const on = serverUnderTest(server!, { main: organisation.name, other: organisation.name })
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-moving-')))
  writeNewDataDirectory(root)
  const world = new World(root, on, await inMemory())
  const influxApply = async (text: string, stackID?: string): Promise<string> => {
    const contents = parseAllDocuments(text).map((one) => one.toJS() as JsonObject)
    const body = { orgID: organisation.id, template: { contents }, ...(stackID === undefined ? {} : { stackID }) }
    const applied = await ask(server!, 'POST', '/api/v2/templates/apply', body)
    expect([applied.status, applied.body.message]).toEqual([201, undefined])
    return applied.body.stackID as string
  }
  try {
    await world.start({ targets: ['local'] })
    const writes = (): readonly string[] =>
      on.sent.filter(({ method }) => method !== 'GET').map(({ method, url }) => `${method} ${url}`)
    await work({ world, orgID: organisation.id, writes, influxApply })
  } finally {
    await world.close()
    await organisation.remove()
    rmSync(root, { recursive: true, force: true })
  }
}

const applicable = corpusCases('yaml').filter(([, { applies }]) => applies === 'yes')

/** Block texts at the end of a file without a newline: readers of YAML differ. */
function textOf(row: CorpusRow): string {
  const text = corpusText(row)
  return text.endsWith('\n') ? text : `${text}\n`
}

/** What `influx apply` does not write, and what nobody can read back: the first plan of these packages has it. */
const lost: Readonly<Record<string, readonly string[]>> = {
  'pkger-testdata/dashboard_band.yml': [0, 1].flatMap((axis) =>
    [0, 1].map((end) => `Dashboard/dash-1 charts[0].axes[${axis}].domain[${end}]`),
  ),
  'pkger-testdata/notification_endpoint_ref.yml': ['NotificationEndpoint/meta token'],
}

function fieldsIn({ plan }: ImportView): readonly string[] {
  return plan.changes.flatMap(({ address, fields }) => fields.map(({ path }) => `${address} ${path}`))
}

describe.skipIf(!hasCorpus || server === undefined)('a package of the corpus that `influx apply` applied', () => {
  test.each(applicable)(
    '%s is taken over without a change',
    async (path, row) => {
      await moving(async ({ world, writes, influxApply }) => {
        const stackID = await influxApply(textOf(row))
        const before = await world.live()
        await world.push(textOf(row))
        const imported = await world.ask.importStack({ stackID, spec: world.spec('boards') }, 'ann', never)
        const expected = lost[path] ?? []
        expect(imported.leftOut).toEqual([])
        expect(fieldsIn(imported)).toEqual(expected)
        expect(imported.plan.changes).toHaveLength(Math.min(1, expected.length))
        expect(imported.held).toBe(expected.length > 0)
        if (!imported.held) expect((await world.ended('boards', imported.run!)).outcome).toBe('unchanged')
        expect(writes()).toEqual([])
        const after = await world.live()
        expect(Object.values(after).map(({ id }) => id)).toEqual(Object.values(before).map(({ id }) => id))
      })
    },
    60_000,
  )

  test.each(applicable)(
    '%s is exported as a package that changes nothing',
    async (_, row) => {
      await moving(async ({ world, writes, influxApply }) => {
        await influxApply(textOf(row))
        const exported = await world.ask.exportPackage({ targets: [{ target: 'local' }] }, never)
        expect(exported.problems).toEqual([])
        expect(await world.ask.exportPackage({ targets: [{ target: 'local' }] }, never)).toEqual(exported)
        await world.push(printYamlPackage(exported.documents))
        const imported = await world.ask.importStack({ spec: world.spec('boards') }, 'ann', never)
        expect(imported.plan.changes).toEqual([])
        expect(imported.taken).toHaveLength(exported.documents.length)
        expect((await world.ended('boards', imported.run!)).outcome).toBe('unchanged')
        expect(writes()).toEqual([])
      })
    },
    60_000,
  )
})

/** Each of the twelve kinds, with a label on all that may have one. */
const everything = `
apiVersion: influxdata.com/v2alpha1
kind: Label
metadata: {name: team}
spec: {name: Team, color: "#326BBA", description: whose it is}
---
apiVersion: influxdata.com/v2alpha1
kind: Bucket
metadata: {name: raw}
spec:
  name: raw
  retentionRules: [{type: expire, everySeconds: 86400}]
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: CheckDeadman
metadata: {name: silent}
spec:
  name: silent
  every: 5m
  level: crit
  timeSince: 90s
  staleTime: 10m
  query: 'from(bucket: "raw") |> range(start: -5m) |> filter(fn: (r) => r._field == "usage")'
  statusMessageTemplate: gone
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: CheckThreshold
metadata: {name: high}
spec:
  name: high
  every: 1m
  query: 'from(bucket: "raw") |> range(start: -1m) |> filter(fn: (r) => r._field == "usage")'
  statusMessageTemplate: high
  tags: [{key: team, value: ops}]
  thresholds: [{type: greater, level: CRIT, value: 90}, {type: outside_range, level: WARN, min: 10, max: 80}]
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointHTTP
metadata: {name: hook}
spec:
  name: hook
  type: none
  method: POST
  url: http://127.0.0.1:9/hook
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointPagerDuty
metadata: {name: pager}
spec:
  name: pager
  url: http://127.0.0.1:9/pager
  routingKey: {secretRef: {key: pager-key}}
---
apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointSlack
metadata: {name: slack}
spec:
  name: slack
  url: http://127.0.0.1:9/slack
  token: {secretRef: {key: slack-token}}
---
apiVersion: influxdata.com/v2alpha1
kind: NotificationRule
metadata: {name: rule}
spec:
  name: rule
  every: 10m
  endpointName: hook
  messageTemplate: look
  statusRules: [{currentLevel: CRIT, previousLevel: OK}]
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: Task
metadata: {name: rollup}
spec:
  name: rollup
  every: 1h
  query: 'from(bucket: "raw") |> range(start: -1h) |> to(bucket: "hourly")'
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: Telegraf
metadata: {name: agent}
spec:
  name: agent
  config: |
    [agent]
      interval = "10s"
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: Variable
metadata: {name: host}
spec:
  name: host
  type: constant
  values: [a, b]
  associations: [{kind: Label, name: team}]
---
apiVersion: influxdata.com/v2alpha1
kind: Dashboard
metadata: {name: ops}
spec:
  name: Ops
  charts:
    - {kind: Markdown, name: notes, note: hello, xPos: 0, yPos: 0, width: 4, height: 2}
    - kind: XY
      name: load
      xPos: 4
      width: 6
      height: 3
      geom: line
      xCol: _time
      yCol: _value
      colors: [{name: laser, type: scale, hex: "#8F8AF4", value: 3}]
      axes: [{name: x}, {name: y, label: load}]
      queries: [{query: 'from(bucket: "raw") |> range(start: v.timeRangeStart)'}]
  associations: [{kind: Label, name: team}]
`

describe.skipIf(server === undefined)('an organisation with all kinds and labels', () => {
  test('is taken over from a stack of InfluxDB, and uninstalled with nothing left', async () => {
    await moving(async ({ world, writes, influxApply }) => {
      const stackID = await influxApply(everything)
      await world.push(everything)
      expect((await world.ask.listUnmanaged('local', never)).stacks).toEqual([
        { id: stackID, name: '', description: '', resources: 12, unmanaged: 12, stacks: [] },
      ])
      const imported = await world.ask.importStack({ stackID, spec: world.spec('boards') }, 'ann', never)
      expect(imported).toMatchObject({ held: false, leftOut: [], plan: { changes: [] } })
      expect(imported.taken).toHaveLength(12)
      expect(imported.warnings).toMatchObject([{ code: 'influxdb/stack-remains' }])
      expect((await world.ended('boards', imported.run!)).outcome).toBe('unchanged')
      expect(writes()).toEqual([])
      const { families, stacks } = await world.ask.listUnmanaged('local', never)
      expect(families).toEqual([])
      expect(stacks).toMatchObject([{ id: stackID, resources: 12, unmanaged: 0, stacks: ['boards'] }])
      const { digest } = await world.ask.previewPlan('boards', { uninstall: true }, never)
      await world.ask.uninstallStack('boards', { digest, by: 'ann' }, never)
      expect(await world.live()).toEqual({})
    })
  }, 60_000)

  test('is exported with stable names, as a package that changes nothing', async () => {
    await moving(async ({ world, writes, influxApply }) => {
      await influxApply(everything)
      const exported = await world.ask.exportPackage({ targets: [{ target: 'local' }] }, never)
      expect(exported.problems).toEqual([])
      expect(await world.ask.exportPackage({ targets: [{ target: 'local' }] }, never)).toEqual(exported)
      expect(exported.documents).toHaveLength(12)
      await world.push(printYamlPackage(exported.documents))
      const imported = await world.ask.importStack({ spec: world.spec('boards') }, 'ann', never)
      expect(imported).toMatchObject({ held: false, plan: { changes: [] } })
      expect(imported.taken).toHaveLength(12)
      expect((await world.ended('boards', imported.run!)).outcome).toBe('unchanged')
      expect(writes()).toEqual([])
    })
  }, 60_000)

  test('has an edited package held, which updates what exists once it is resumed', async () => {
    await moving(async ({ world, orgID, writes, influxApply }) => {
      const stackID = await influxApply(everything)
      const before = await world.live()
      const { id } = before['Variable/host']!
      await ask(server!, 'DELETE', `/api/v2/variables/${id}`)
      await world.push(everything.replace('value: 90', 'value: 95').replace('note: hello', 'note: bye'))
      const imported = await world.ask.importStack({ stackID, spec: world.spec('boards') }, 'ann', never)
      expect(imported.leftOut).toEqual([{ kind: 'Variable', name: 'host', id, why: 'gone' }])
      expect(imported).toMatchObject({ held: true, plan: { counts: { create: 1, update: 2, remove: 0 } } })
      expect(writes()).toEqual([])
      await world.ask.resumeStack('boards', 'ann')
      expect((await world.lastRun('boards')).outcome).toBe('applied')
      const after = await world.live()
      for (const name of ['CheckThreshold/high', 'Check/high', 'Dashboard/Ops', 'Task/rollup', 'Bucket/raw'])
        expect(after[name]?.id).toBe(before[name]?.id)
      const kept = await ask(server!, 'GET', `/api/v2/stacks?orgID=${orgID}`)
      expect(kept.body.stacks[0].resources).toHaveLength(12)
    })
  }, 60_000)
})

test.skipIf(server === undefined)(
  'a stack of InfluxDB with a hostile name is imported under a harmless one',
  async () => {
    await moving(async ({ world, orgID, influxApply }) => {
      const name = 'old\u001b[2J\u202eboards'
      const { body } = await ask(server!, 'POST', '/api/v2/stacks', { orgID, name, description: name })
      const { id } = body as { readonly id: string }
      await influxApply(bucketAlone, id)
      expect((await world.ask.listUnmanaged('local', never)).stacks).toMatchObject([{ id, name, description: name }])
      await world.push(bucketAlone)
      const { name: _, ...spec } = world.spec('boards')
      const imported = await world.ask.importStack({ stackID: id, spec }, 'ann', never)
      const shown = String.raw`old\u001b[2J\u202eboards`
      expect(imported).toMatchObject({
        name: 'old-2j-boards',
        stack: { displayName: shown, spec: { description: shown } },
      })
      const [warning] = imported.warnings
      expect(warning!.message).toContain(String.raw`old\u{1b}[2J\u{202e}boards`)
      expect(JSON.stringify(imported.warnings)).not.toMatch(/[\u001b\u202e]|\\u001b/)
    })
  },
)

const bucketAlone = '{apiVersion: influxdata.com/v2alpha1, kind: Bucket, metadata: {name: raw}}\n'
