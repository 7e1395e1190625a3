import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'gitmoor-unit-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The unit with programs and users that this machine has; what it says besides is what is checked. */
function unitHere(): string {
  const unit = join(directory, 'gitmoor.service')
  const text = readFileSync('config/gitmoor.service', 'utf8')
  writeFileSync(
    unit,
    text
      .replaceAll('/usr/local/bin/gitmoor', process.execPath)
      .replaceAll('/usr/bin/curl', process.execPath)
      .replace('User=gitmoor', 'User=daemon'),
  )
  return unit
}

const analyze = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!analyze)('systemd takes the unit as it is, without a warning', () => {
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', unitHere()], { encoding: 'utf8' })
  expect(stderr.split('\n').filter((line) => line.includes('gitmoor.service'))).toEqual([])
  expect(status).toBe(0)
})

test.skipIf(!analyze)('systemd finds that the unit exposes little', () => {
  const report = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unitHere()], {
    encoding: 'utf8',
  })
  const exposure = /Overall exposure level for \S+ (?:\S+ )?([\d.]+)/.exec(report)?.[1]
  expect(Number(exposure)).toBeLessThan(2)
})

/** The shell command of `ExecStartPost`, as systemd hands it over. */
function waitCommand(data: string): string {
  const [, command] = /^ExecStartPost=\/bin\/sh -c '(.*)'$/m.exec(readFileSync('config/gitmoor.service', 'utf8'))!
  return command!.replaceAll('$$', '$').replaceAll('/var/lib/gitmoor', data)
}

test('the unit waits for the agent at the address that the agent wrote down, and not at that of an earlier process', async () => {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    response.writeHead(paths.length === 1 ? 503 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const write = (pid: number): void =>
    writeFileSync(
      join(directory, 'agent.json'),
      JSON.stringify({ url, token: 'http1', pid, version: '0.1.0', config: '/etc/http9.yaml' }),
    )
  write(41)
  const quick = waitCommand(directory).replaceAll('sleep 1', 'sleep 0.05')
  const environment = { env: { PATH: process.env['PATH'], MAINPID: '4' } }
  const stale = promisify(execFile)('/bin/sh', ['-c', quick.replace('seq 60', 'seq 2')], environment).catch(
    (error: unknown) => error,
  )
  expect(await stale).toMatchObject({ code: 1, stderr: expect.stringContaining('not ready') as string })
  write(4)
  await promisify(execFile)('/bin/sh', ['-c', quick], environment)
  expect(paths).toEqual(['/readyz', '/readyz'])
  server.close()
})

test('NOTICE names every package whose license is not permissive', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean; readonly license?: string }>>
  }
  const permissive = /MIT|ISC|BSD|Apache-2\.0|BlueOak|PSF-2\.0|Unlicense/
  const others = Object.entries(packages).filter(
    ([path, { dev, license = '' }]) => path !== '' && dev !== true && !permissive.test(license),
  )
  const notice = readFileSync('NOTICE', 'utf8')
  expect(others.length).toBeGreaterThan(0)
  for (const [path] of others) expect(notice).toContain(path.replace(/^.*node_modules\//, ''))
})

test('the unit gives the agent longer to park than the agent takes', () => {
  const text = readFileSync('config/gitmoor.service', 'utf8')
  expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(text)?.[1])).toBeGreaterThan(10)
})

test('the unit and the image write their log for programs', () => {
  expect(readFileSync('config/gitmoor.service', 'utf8')).toMatch(/^ExecStart=.* agent .*--log json$/m)
  expect(readFileSync('Dockerfile', 'utf8')).toMatch(/^CMD \["agent", .*"--log", "json"\]$/m)
})
