import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkOffline } from '../src/offline-doctor.js'
import { platforms } from '../src/platforms.js'

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-offline-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function reported(data: string, config?: string): Promise<Readonly<Record<string, string>>> {
  const options = { data, ...(config === undefined ? {} : { config }) }
  const checks = await checkOffline(options, { integrity: async () => [], platforms })
  return Object.fromEntries(checks.map(({ name, state, message, next }) => [name, `${state} | ${message} | ${next}`]))
}

test('the command that starts the last agent again, and the problems of its configuration file', async () => {
  const data = makeDirectory()
  const config = join(data, 'my.yaml')
  writeFileSync(config, 'listne: x\n')
  const facts = { url: 'http://127.0.0.1:1', token: 'x', pid: 1, config, listen: '[::1]:4471', directory: '/srv' }
  writeFileSync(join(data, 'agent.json'), JSON.stringify(facts))
  expect(await reported(data)).toMatchObject({
    agent: `problem | No agent is running on ${data}. | cd /srv && gitmoor agent --config ${config} --listen '[::1]:4471' --data ${data}`,
    configuration: expect.stringContaining(`${config}:1: Unknown key "listne"`) as string,
  })
})

test('the given configuration file, in place of that of the last agent', async () => {
  const data = makeDirectory()
  const config = join(data, 'other.yaml')
  writeFileSync(config, 'log: { level: debug }\n')
  writeFileSync(join(data, 'agent.json'), JSON.stringify({ config: join(data, 'gone.yaml') }))
  expect(await reported(data, config)).toMatchObject({
    agent: `problem | No agent is running on ${data}. | gitmoor agent --config ${config} --data ${data}`,
    configuration: `ok | ${config} is valid. | undefined`,
  })
})

test('without an earlier agent, no configuration file', async () => {
  const data = makeDirectory()
  const checks = await reported(data)
  expect(checks['agent']).toBe(`problem | No agent is running on ${data}. | gitmoor agent --data ${data}`)
  expect(checks).not.toHaveProperty('configuration')
})
