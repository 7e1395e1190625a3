// The image and the compose file, without Docker: that they agree with each other and with the program.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { declareWith } from '../src/cli/invocation.js'
import { buildProgram } from '../src/cli/program.js'

const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ')
const [, build = '', runtime = ''] = dockerfile.split(/^FROM /m)

/** What follows the instruction, of the last stage. */
const instruction = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(runtime)?.[1] ?? ''
const words = (json: string): readonly string[] => JSON.parse(json) as readonly string[]

interface Service {
  readonly ports: readonly string[]
  readonly volumes: readonly (string | { readonly target: string; readonly read_only: boolean })[]
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly stop_grace_period: string
}
const compose = parse(readFileSync('compose.yaml', 'utf8')) as {
  readonly services: { readonly gitmoor: Service }
  readonly volumes: object
}

describe('the image', () => {
  test('is built from files that exist and that .dockerignore lets through', () => {
    const allowed = readFileSync('.dockerignore', 'utf8').split('\n')
    const copied = [...`${build}\n${runtime}`.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files]) =>
      files!.split(' '),
    )
    expect(copied).toContain('src')
    expect(copied.filter((file) => !existsSync(file) || !allowed.includes(`!${file}`))).toEqual([])
  })

  test('has the programs that the agent starts', () => {
    for (const program of ['git', 'openssh-client', 'ca-certificates']) expect(runtime).toContain(program)
  })

  test('does not run as root', () => {
    expect(Number(/^\d+/.exec(instruction('USER'))?.[0])).toBeGreaterThan(0)
  })

  test('starts the agent with a mounted configuration', () => {
    expect(instruction('ENTRYPOINT')).toBe('["gitmoor"]')
    expect(words(instruction('CMD')).join(' ')).toContain('agent --config /etc/gitmoor/gitmoor.yaml')
  })
})

test.each([
  ['the image', words(instruction('CMD'))],
  [
    'the unit',
    /^ExecStart=\/usr\/local\/bin\/gitmoor (.*)$/m.exec(readFileSync('config/gitmoor.service', 'utf8'))![1]!.split(' '),
  ],
])('the command of %s exists', async (_, argv) => {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  const program = await buildProgram(argv, {
    version: '0',
    ...streams,
    environment: {},
    declare: declareWith(() => Promise.resolve()),
  })
  await expect(program.parseAsync([...argv], { from: 'user' })).resolves.toBeDefined()
})

describe('the health check of the image', () => {
  const [program, ...args] = words(/HEALTHCHECK .*? CMD (\[.*\])/.exec(runtime)![1]!)

  /** The exit code, for an agent whose /healthz has this status; undefined: there was no agent yet. */
  async function exitCode(status?: number): Promise<unknown> {
    const data = mkdtempSync(join(tmpdir(), 'gitmoor-health-'))
    const server = createServer((request, response) =>
      response.writeHead(request.url === '/healthz' ? status! : 404).end(),
    )
    onTestFinished(() => {
      server.close()
      rmSync(data, { recursive: true, force: true })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (status !== undefined) writeFileSync(join(data, 'agent.json'), JSON.stringify({ url }))
    const env = { PATH: process.env['PATH'], GITMOOR_DATA: data }
    return (await once(spawn(program!, args, { env, stdio: 'ignore' }), 'exit'))[0]
  }

  test('succeeds for an agent that is alive, and fails otherwise', async () => {
    expect(await Promise.all([exitCode(200), exitCode(503), exitCode()])).toEqual([0, 1, 1])
  })
})

describe('compose.yaml', () => {
  const { gitmoor } = compose.services

  test('keeps the data in a volume, and mounts the directory of the configuration', () => {
    const data = instruction('VOLUME')
    expect(gitmoor.volumes).toContain(`data:${data}`)
    expect(Object.keys(compose.volumes)).toEqual(['data'])
    expect(runtime).toContain(`GITMOOR_DATA=${data}`)
    const command = words(instruction('CMD'))
    const configuration = dirname(command[command.indexOf('--config') + 1]!)
    expect(gitmoor.volumes).toContainEqual(expect.objectContaining({ target: configuration, read_only: true }))
  })

  test('publishes the port of the image on the loopback interface only', () => {
    const port = instruction('EXPOSE')
    expect(gitmoor.ports).toEqual([`127.0.0.1:${port}:${port}`])
    expect(instruction('CMD')).toContain(`0.0.0.0:${port}`)
  })

  test('gives the agent no capabilities, a read-only file system, and time to stop', () => {
    expect(gitmoor).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '20s' })
  })
})
