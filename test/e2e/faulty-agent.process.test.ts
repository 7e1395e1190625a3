// An error that nothing catches, in the shipped program: it ends, says what it was reading, and the next starts keep
// the other stacks going.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { program as main } from './built.js'
import { label } from '../influxdb/packages.js'
import { Processes } from './processes.js'
import { useProgram } from './program.js'

const program = useProgram()

test('ends with the remotes it was reading in its log, and reads them later than the others', async () => {
  const { root, data, server, url, type } = program
  await program.push(label('red'))
  const bad = `${server.url}/FAULT.git`
  const stack = (name: string, remote: string): string =>
    `  - { name: ${name}, sources: [{ url: '${remote}', ref: main }] }\n`
  const stacks = `${stack('bad', bad)}${stack('good', url)}`
  writeFileSync(join(root, 'gitmoor.yaml'), `log: { format: json }\nstacks:\n${stacks}`)
  await using faulty = new Processes(fileURLToPath(new URL('faulty-agent.mjs', import.meta.url)))
  const config = ['--config', join(root, 'gitmoor.yaml')]
  const around = { cwd: root, data, env: { DIST: dirname(main), PATH: process.env['PATH'] ?? '' } }
  const live = (): ReturnType<Processes['run']> =>
    faulty.run(['agent', '--data', data, '--listen', '127.0.0.1:0', ...config], around)

  const first = await live()
  expect(first.code).toBe(1)
  expect(first.stderr).toContain('"msg":"the agent crashed: a bug in gitmoor"')
  expect(first.stderr).toContain('"error":"a fault nobody expected"')
  expect(first.stderr).toMatch(/"stack":"[^"]*\/src\/agent\/poll\/[a-z-]+\.ts:\d+/)
  expect(first.stderr).toMatch(new RegExp(`"reading":\\[[^\\]]*"${bad}"`))

  expect((await live()).code).toBe(1) // 1 s later
  const [record = ''] = readFileSync(join(data, 'reads.json'), 'utf8').split('\n')
  expect(JSON.parse(record)).toMatchObject({
    reading: expect.arrayContaining([bad]) as string[],
    crashes: { [bad]: 1 },
  })

  const third = await faulty.agent(config, around)
  expect(third.stderr()).toContain(
    `"remote":"${bad}","crashes":2,"msg":"remote delayed: the agent crashed while it read the remote"`,
  )
  await type('wait', 'good', '--timeout', '100s')
  expect(await program.get('good')).toMatchObject({ sync: 'Synced' })
  expect(third.child.exitCode).toBeNull()
})
