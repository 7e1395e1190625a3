// A package on a real InfluxDB, applied by gitmoor and by InfluxDB's own package service (`influx apply`), in turn on
// one server: the first apply, nothing to do, one change; time and requests. Only with GITMOOR_INFLUXD, the path of a
// real influxd 2.9.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAgentProcess } from './agent.mjs'
import { startCountingProxy } from './counting-proxy.mjs'
import { startInfluxd } from './influxd.mjs'
import { objectsOf } from './objects.mjs'
import { median, row, timed } from './row.mjs'

export const scales = {
  full: { sizes: [100, 1_000], turns: 5 },
  small: { sizes: [10], turns: 1 },
}
/** Of what InfluxDB's own service takes, at the last size. */
const aims = { 'first apply': { ratio: 1.5 }, 'nothing to do': { ratio: 0.2 } }

export async function measure({ dist, directory, keep, scale: { sizes, turns } }) {
  const program = process.env.GITMOOR_INFLUXD
  if (program === undefined) {
    console.error('Skipped: GITMOOR_INFLUXD is not set.')
    return []
  }
  const rows = []
  for (const size of sizes) {
    const influxd = await keep(await startInfluxd({ program, directory: join(directory, `influxd-${size}`) }))
    const server = { ...influxd, proxy: await keep(await startCountingProxy(influxd.url)) }
    const own = await byInfluxdb({ size, turns }, await organisation(server, 'own'))
    const folder = join(directory, `gitmoor-${size}`)
    const ours = await byGitmoor({ size, turns, dist, directory: folder, keep }, await organisation(server, 'ours'))
    rows.push(...rowsOf(size, { ours, own, isLast: size === sizes.at(-1) }))
  }
  return rows
}

function rowsOf(size, { ours, own, isLast }) {
  const objects = `${size.toLocaleString('en')} objects`
  return Object.keys(ours).flatMap((what) => {
    const { ms, reads, writes } = ours[what]
    const beside = { what: 'influx apply', figure: own[what].ms }
    const aim = isLast && aims[what] !== undefined ? { aim: aims[what] } : {}
    return [
      row(`${objects}: ${what}`, ms, 'ms', { beside, ...aim }),
      row(`${objects}: ${what}, reads of the server`, reads, 'requests'),
      row(`${objects}: ${what}, writes`, writes, 'requests', what === 'nothing to do' ? { aim: { most: 0 } } : {}),
    ]
  })
}

/** InfluxDB's service carries its requests out inside of the server. */
async function byInfluxdb({ size, turns }, server) {
  const { orgID } = server
  const template = (objects) => ({ sources: ['bench.json'], contents: objects })
  const apply = (body) => ask({ ...server, path: '/api/v2/templates/apply', body: { orgID, ...body } })
  let stackID
  const steps = {
    'first apply': async (objects) => ({ stackID } = await apply({ template: template(objects) })),
    again: (objects) => apply({ stackID, template: template(objects) }),
  }
  return threeSteps({ size, turns }, server, steps)
}

async function byGitmoor({ size, turns, dist, directory, keep }, server) {
  const files = join(directory, 'files')
  mkdirSync(files, { recursive: true })
  const write = (objects) => writeFileSync(join(files, 'package.json'), JSON.stringify(objects))
  const config = join(directory, 'gitmoor.yaml')
  writeFileSync(join(directory, 'token'), server.token)
  const target = { platform: 'influxdb', url: server.proxy.url, organisation: server.name }
  writeFileSync(
    config,
    JSON.stringify({
      allow: { directories: [files] },
      targets: { bench: { ...target, token: `\${file:${join(directory, 'token')}}` } },
    }),
  )
  write([])
  const agent = await keep(await startAgentProcess({ dist, data: join(directory, 'data'), config }))
  const stack = (body) => ask({ ...agent, scheme: 'Bearer', path: '/api/v1/stacks', body })
  const source = { kind: 'directory', directory: files }
  const ended = (run) => {
    const path = `/api/v1/stacks/bench/runs/${run}?waitMs=60000`
    return ask({ ...agent, scheme: 'Bearer', path, method: 'GET' })
  }
  const sync = async (objects) => {
    write(objects)
    const { id } = await ask({ ...agent, scheme: 'Bearer', path: '/api/v1/stacks/bench/sync', body: {} })
    const run = await ended(id)
    if (!['applied', 'unchanged'].includes(run.outcome)) throw new Error(JSON.stringify(run).slice(0, 1_000))
  }
  const first = async (objects) => {
    write(objects)
    const { run } = await stack({ name: 'bench', target: 'bench', sources: [source], interval: '1h', drift: 'ignore' })
    const { outcome, problems } = await ended(run)
    if (outcome !== 'applied') throw new Error(JSON.stringify(problems).slice(0, 1_000))
  }
  return threeSteps({ size, turns }, server, { 'first apply': first, again: sync })
}

async function threeSteps({ size, turns }, { proxy }, { 'first apply': first, again }) {
  const objects = objectsOf(size)
  const measured = async (times, turn) => {
    await proxy.counted()
    const ms = median(await timed(times, turn, { warmUp: 0 }))
    const { reads, writes } = await proxy.counted()
    return { ms, reads: reads / times, writes: writes / times }
  }
  const changed = (turn) => {
    const at = objects.findIndex(({ kind }) => kind === 'Dashboard')
    const { spec, ...rest } = objects[at]
    return objects.with(at, { ...rest, spec: { ...spec, description: `changed ${turn}` } })
  }
  return {
    'first apply': await measured(1, () => first(objects)),
    'nothing to do': await measured(turns, () => again(objects)),
    'one change': await measured(turns, (turn) => again(changed(turn))),
  }
}

async function organisation(server, name) {
  const { id } = await ask({ ...server, path: '/api/v2/orgs', body: { name } })
  return { ...server, url: server.proxy.url, name, orgID: id }
}

async function ask({ url, token, path, method = 'POST', body, scheme = 'Token' }) {
  const headers = { Authorization: `${scheme} ${token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
