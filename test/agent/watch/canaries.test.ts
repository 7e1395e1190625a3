// Servers that repeat the credential they were sent: in redirects, headers, errors and files. Nothing that people read,
// and no row of the database, repeats it.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { adapters } from '../../../src/adapters.js'
import { openLog } from '../../../src/agent/watch/write-log.js'
import { openDataDirectory } from '../../../src/agent/upkeep/data-directory.js'
import { readConfiguration } from '../../../src/config/config.js'
import type { SourceSpec } from '../../../src/model/sources/source-spec.js'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import { openAgent, type OpenAgent } from '../../../src/open-agent.js'
import { Redactor } from '../../../src/secrets/redact/redact.js'
import { attackScale, attackSeed } from '../../attack/scale.js'
import { rowsOf } from '../../e2e/rows-of.js'
import { until } from '../../e2e/until.js'
import { startFileServer, type FileServer } from '../../file-server.js'
import { askOver } from '../../ask.js'

/** With characters that encodings change, and letters of both cases. */
const secret = 'Cnry1+7F3a/9c51<e0D2%b846&x'

const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  percent: encodeURIComponent,
  hex: (text) => Buffer.from(text).toString('hex'),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 behind one byte': (text) => Buffer.from(`:${text}:`).toString('base64'),
  'base64 behind two bytes': (text) => Buffer.from(`u:${text}:`).toString('base64url'),
  html: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'percent of one letter': (text) => text.replace('y', '%79'),
  'percent of percent': (text) => encodeURIComponent(encodeURIComponent(text).replace('a', '%61')),
  'numbers of html': (text) => Array.from(text, (one) => `&#${one.charCodeAt(0)};`).join(''),
  'names of html': (text) => text.replaceAll('&', '&amp;').replaceAll('/', '&sol;').replaceAll('+', '&plus;'),
  'json of letters': (text) =>
    Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'json of json': (text) => JSON.stringify(JSON.stringify({ text: text.replace('y', '\\u0079') })),
  json: (text) => JSON.stringify({ text }).replaceAll('/', '\\/'),
}

type Echo = (response: ServerResponse, echo: string) => void

const header = (text: string): string => encodeURI(text).replaceAll('%25', '%')
const packet = (line: string): string => (line.length + 4).toString(16).padStart(4, '0') + line

const answers: Readonly<Record<string, Echo>> = {
  'redirect path': (response, echo) => response.writeHead(302, { Location: `/elsewhere/${header(echo)}` }).end(),
  'redirect host': (response, echo) =>
    response.writeHead(302, { Location: `http://127.0.0.1:9/x/${header(echo)}.git/info/refs` }).end(),
  'content type': (response, echo) => response.writeHead(200, { 'Content-Type': `text/${header(echo)}` }).end('hello'),
  'ERR line': (response, echo) =>
    response
      .writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-result' })
      .end(packet(`ERR no ${echo} here\n`)),
  'error body': (response, echo) => response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`no ${echo} here`),
  'status message': (response, echo) => response.writeHead(403, header(echo)).end(echo),
  challenge: (response, echo) =>
    response.writeHead(401, { 'WWW-Authenticate': `Basic realm="${header(echo)}"` }).end(echo),
  'package key': (response, echo) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ apiVersion: 'plain/v1', kind: echo, metadata: { name: 'a' } })),
  'package text': (response, echo) =>
    response.writeHead(200, { 'Content-Type': 'application/x-yaml' }).end(`a: "${echo}\nb: [${echo}`),
}

let root: string
let server: FileServer
let agent: OpenAgent
const log: string[] = []

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-canaries-')))
  server = await startFileServer()
  server.answer(answer)
  writeFileSync(join(root, 'token'), secret)
  const file = join(root, 'gitmoor.yaml')
  writeFileSync(
    file,
    `credentials: { one: { match: '${server.url}/', bearer: '\${file:${join(root, 'token')}}', allowHttp: true } }\nlimits: { pollsPerHost: 1000 }\n`,
  )
  const { value, problems } = readConfiguration(file, { platforms: adapters.platforms, data: join(root, 'data') })
  expect(problems).toEqual([])
  openDataDirectory(join(root, 'data'))
  const redactor = new Redactor()
  const write = (line: string): void => void log.push(line)
  const lines = openLog({ level: 'debug', format: 'json', write, redact: (text) => redactor.redact(text) })
  agent = openAgent(value!, adapters, { version: '0', log: lines, redactor })
  await agent.agent.start()
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
  log.length = 0
})

/** `/ANSWER/ENCODING/…`, by their numbers. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, which, how] = (request.url ?? '').split('/')
  const token = (request.headers.authorization ?? 'Bearer nothing').replace('Bearer ', '')
  const echo = Object.values(encodings)[Number(how)]
  const reply = Object.values(answers)[Number(which)]
  if (echo === undefined || reply === undefined) return void response.writeHead(404).end()
  reply(response, echo(token))
}

function sourceAt(url: string, isGit: boolean): SourceSpec {
  return isGit
    ? { kind: 'git', url: `${url}.git`, ref: 'main', path: '' }
    : { kind: 'url', url: `${url}.yml`, path: '' }
}

/** Whatever the case of its letters. */
function leaksIn(text: string): readonly string[] {
  const lower = text.toLowerCase()
  const forms = Object.entries(encodings).map(([name, encode]) => [name, encode(secret).toLowerCase()] as const)
  const found = forms.filter(([, form]) => lower.includes(form.slice(4, -6)))
  return found.map(([name, form]) => `${name}: ${lower.slice(lower.indexOf(form.slice(4, -6)) - 150).slice(0, 300)}`)
}

test('no answer of a server brings a secret into answers, events, the log or the database', async () => {
  const ask = askOver(agent.call)
  const events: unknown[] = []
  const stop = await ask.watchEvents({}, (event) => events.push(event))
  const names: string[] = []
  for (const [which] of Object.keys(answers).entries())
    for (const [how] of Object.keys(encodings).entries()) {
      // A third of the pairs has each answer and each encoding, over git and as a file.
      if (attackScale() < 1 && (which + how) % 3 !== attackSeed() % 3) continue
      const source = sourceAt(`${server.url}/${which}/${how}/x`, (which + how) % 2 === 0)
      const name = `${source.kind}-${which}-${how}`
      await ask.createStack({ ...stackDefaults, name, sources: [source] }, 'ana')
      names.push(name)
    }
  const read: unknown[] = []
  for (const name of names) {
    await until(`${name} is polled`, async () => {
      const { follows, lastRun } = await ask.explainStack(name)
      return follows.some(({ problem }) => problem !== null) || /failed/.test(lastRun)
    })
    read.push(await ask.getStack(name), await ask.explainStack(name), await ask.listRuns(name, { limit: 10 }))
    const [run] = (await ask.listRuns(name, { limit: 1 })).items
    if (run !== undefined) read.push(await ask.getRun(name, run.id))
    const failed = await ask
      .previewPlan(name, {}, new AbortController().signal)
      .catch((error: unknown) => error as Error & { hint?: string })
    if (failed instanceof Error)
      read.push([failed.message, failed.hint, failed.stack, (failed as { problems?: unknown }).problems])
  }
  read.push(await ask.diagnose(new AbortController().signal), await ask.listStacks({ limit: 500 }), events)
  stop()
  const text = JSON.stringify(read)
  expect(text).toContain('(redacted)')
  expect(leaksIn(text)).toEqual([])
  expect(leaksIn(log.join(''))).toEqual([])
  for (const line of log) JSON.parse(line)
  expect(leaksIn(rowsOf(join(root, 'data', 'gitmoor.db')).toString())).toEqual([])
})
