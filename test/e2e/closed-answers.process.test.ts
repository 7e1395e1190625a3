// Answers that do not keep their connection alive, to the shipped program: it applies them, outlives those that
// break off, and other stacks never notice.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunRow } from '../../src/views/run.js'
import { makeRepository } from '../git-server.js'
import { framed, framings, startRawServer, writePieces } from '../attack/raw-server.js'
import { Dice } from '../random/dice.js'
import { label } from '../influxdb/packages.js'
import { useProgram } from './program.js'
import { until } from './until.js'

const program = useProgram()

test(
  'applies a large repository in every framing, lives through resets, and disturbs no other stack',
  { timeout: 180_000 },
  async () => {
    const { root, server: git, repository } = program
    const dice = new Dice(7)
    let resets = 0
    await using server = await startRawServer(async ({ method, path, headers, body }, socket) => {
      const [, framing = ''] = path.split('/')
      const onward = path.slice(framing.length + 1)
      const given = await fetch(`${git.url}${onward}`, {
        method,
        headers,
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      })
      const answer = { type: given.headers.get('content-type')!, bytes: Buffer.from(await given.arrayBuffer()) }
      const how = framings[Number(framing)] ?? 'closed'
      const bytes = framed(how, answer, dice)
      const isBroken = framing === 'reset' && answer.bytes.length > 1000
      await writePieces(socket, isBroken ? bytes.subarray(0, dice.below(bytes.length)) : bytes, dice)
      if (isBroken) resets += 1
      if (isBroken) server.reset(socket)
      else if (how.endsWith('closed')) socket.end()
    })
    await repository.commit({ files: { 'boards/package.yml': label('red'), 'noise.bin': randomBytes(4_400_000) } })
    const quiet = await makeRepository(join(root, 'served'), 'quiet')
    await quiet.commit({ files: { 'package.yml': label('blue') } })
    const stack = (name: string, url: string, path: string): string =>
      `  - { name: ${name}, sources: [{ url: '${url}', ref: main, path: '${path}' }] }\n`
    const stacks = [
      stack('quiet', `${git.url}/quiet.git`, ''),
      stack('broken', `${server.url}/reset/repository.git`, 'boards'),
      ...framings.map((_, number) => stack(`framing-${number}`, `${server.url}/${number}/repository.git`, 'boards')),
    ]
    writeFileSync(join(root, 'gitmoor.yaml'), `stacks:\n${stacks.join('')}`)
    const agent = await program.agent('--config', join(root, 'gitmoor.yaml'))
    const type = async (...args: readonly string[]): Promise<void> => {
      const { code, stderr } = await program.type(...args)
      expect(code, `${args.join(' ')}: ${stderr}`).toBe(0)
    }
    await type('wait', 'quiet')
    for (const [number] of framings.entries()) await type('wait', `framing-${number}`)
    await until('a fetch is reset', () => resets > 0)
    const second = await quiet.commit({ files: { 'package.yml': label('green') } })
    await type('wait', 'quiet', '--revision', second)
    const runs = await program.list<RunRow>('history', 'quiet')
    expect(runs.map(({ outcome }) => outcome)).toEqual(['applied', 'applied'])
    expect(agent.child.exitCode).toBeNull()
  },
)
