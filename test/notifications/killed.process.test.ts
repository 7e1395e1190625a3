// Kills the agent after a message is stored and before its receiver answered: the next agent sends it again.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useProgram } from '../e2e/program.js'
import { until } from '../e2e/until.js'
import { recordingServer } from './recording-server.js'

const program = useProgram()

test('a message without an answer is sent again by the next agent, with the same id', async () => {
  await using server = await recordingServer()
  const { root } = program
  const packages = join(root, 'packages')
  mkdirSync(packages)
  writeFileSync(join(packages, 'package.yml'), 'not: [a package')
  const file = join(root, 'gitmoor.yaml')
  const lines = [
    `allow: { directories: ['${packages}'] }`,
    `notifications: { ops: { webhook: { url: '${server.url}' }, on: [failed], wait: 0s } }`,
    `stacks: [{ name: boards, sources: [{ kind: directory, directory: '${packages}' }] }]`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  server.answer = () => {} // hangs
  const agent = await program.agent('--config', file)
  await until('the message arrives', () => server.requests.length === 1)
  agent.child.kill('SIGKILL')
  await agent.ended
  server.answer = (_, response) => void response.end()
  await program.agent('--config', file)
  await until('the message arrives again', () => server.requests.length === 2)
  const [first, second] = server.requests.map(({ headers }) => headers)
  expect(second!['x-gitmoor-delivery']).toBe(first!['x-gitmoor-delivery'])
  expect([first!['x-gitmoor-attempt'], second!['x-gitmoor-attempt']]).toEqual(['1', '2'])
  expect(server.json(1)).toEqual(server.json(0))
})
