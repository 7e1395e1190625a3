// What the agent shows of its configuration.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readConfiguration } from '../../src/config/config.js'
import type { ConfigurationValue } from '../../src/model/agent/configuration-status.js'
import { platforms } from '../../src/platforms.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-values-'))
  vi.stubEnv('GITMOOR_DATA', undefined)
  vi.stubEnv('FORGE_TOKEN', 'plain-token-of-the-test')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true, force: true })
})

function valuesOf(text: string, options = {}): ReadonlyMap<string, ConfigurationValue> {
  writeFileSync(join(directory, 'gitmoor.yaml'), text)
  const { value, problems } = readConfiguration('gitmoor.yaml', { platforms, ...options }, directory)
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  return new Map(value!.values.map((one) => [one.path, one]))
}

describe('the values of the configuration', () => {
  test('have the line of the file, or the default', () => {
    const values = valuesOf('hosts:\n  - moor.example\nlimits:\n  concurrency: 4\n')
    expect(values.get('hosts[0]')).toEqual({ path: 'hosts[0]', value: 'moor.example', source: 'file', line: 2 })
    expect(values.get('limits.concurrency')).toMatchObject({ value: 4, source: 'file', line: 4 })
    expect(values.get('limits.packBytes')).toMatchObject({ value: '32MiB', source: 'default' })
    expect(valuesOf('limits: { packBytes: 1536KiB }\n').get('limits.packBytes')).toMatchObject({ value: '1536KiB' })
    expect(values.get('limits.pollsPerHost')).toMatchObject({ value: 10, source: 'default', line: null })
    expect(values.get('page.enabled')).toMatchObject({ value: true, source: 'default' })
    expect(values.get('channels')).toMatchObject({ value: [], source: 'default' })
  })

  test('say which ones the command line or the environment gave', () => {
    const given = valuesOf('listen: 127.0.0.1:1\n', { listen: '127.0.0.1:2', data: 'there' })
    expect(given.get('listen')).toMatchObject({ value: '127.0.0.1:2', source: 'option', line: null })
    expect(given.get('data')).toMatchObject({ value: join(directory, 'there'), source: 'option' })
    expect(valuesOf('hosts: [a.example]\n').get('data')).toMatchObject({
      value: join(directory, '.gitmoor'),
      source: 'default',
    })
    vi.stubEnv('GITMOOR_DATA', join(directory, 'env'))
    expect(valuesOf('hosts: [a.example]\n').get('data')).toMatchObject({
      value: join(directory, 'env'),
      source: 'option',
    })
  })

  test('show the references of secrets, and hide all other text of theirs', () => {
    const values = valuesOf(`
credentials:
  forge: { match: https://git.example/, token: '\${env:FORGE_TOKEN}' }
  plain: { match: https://plain.example/, bearer: secret-in-the-file }
  header: { match: https://h.example/, header: { name: X-Token, value: 'prefix-secret \${env:FORGE_TOKEN}' } }
notifications:
  ops: { slack: { url: 'https://hooks.example/services/T0/secret-path' } }
  pager: { webhook: { url: 'https://p.example', headers: { to: secret-of-a-header } } }
targets:
  prod: { platform: influxdb, url: 'https://influx.example', organisation: main, token: '\${env:FORGE_TOKEN}' }
webhooks:
  hub: { provider: github, secret: '\${env:FORGE_TOKEN}', remotes: ['https://git.example/'] }
`)
    expect(values.get('credentials.forge.token')).toEqual({
      path: 'credentials.forge.token',
      value: '${env:FORGE_TOKEN}',
      secret: true,
      source: 'file',
      line: 3,
    })
    expect(values.get('credentials.plain.bearer')).toMatchObject({ value: '(secret)', secret: true })
    expect(values.get('credentials.header.header.value')).toMatchObject({ value: '${env:FORGE_TOKEN}', secret: true })
    expect(values.get('credentials.header.header.name')).toMatchObject({ value: 'X-Token' })
    expect(values.get('credentials.forge.match')).toMatchObject({ value: 'https://git.example/' })
    expect(values.get('notifications.pager.webhook.headers.to')).toMatchObject({ value: '(secret)' })
    expect(values.get('webhooks.hub.remotes[0]')).toMatchObject({ value: 'https://git.example/' })
    expect(values.get('targets.prod.token')).toMatchObject({ value: '${env:FORGE_TOKEN}', secret: true })
    expect(values.get('targets.prod.url')).toMatchObject({ value: 'https://influx.example' })
    const texts = JSON.stringify([...values.values()])
    for (const secret of ['secret-in-the-file', 'prefix-secret', 'secret-path', 'secret-of-a-header', 'plain-token'])
      expect(texts).not.toContain(secret)
  })

  test('name stacks and fleets, and hide their settings', () => {
    const values = valuesOf(`
stacks:
  - { name: boards, target: local, sources: [{ url: 'https://git.example/x' }], values: { token: not-shown } }
  - { name: alerts, target: local, sources: [{ url: 'https://git.example/x' }] }
`)
    expect(values.get('stacks[0]')).toEqual({ path: 'stacks[0]', value: 'boards', source: 'file', line: 3 })
    expect(values.get('stacks[1]')).toMatchObject({ value: 'alerts', line: 4 })
    expect(JSON.stringify([...values.values()])).not.toContain('not-shown')
  })

  test('of the example file are those that it explains, in each section', () => {
    const values = valuesOf(readFileSync('config/gitmoor.yaml', 'utf8'))
    expect(values.get('limits.run')).toMatchObject({ value: '30m', source: 'file' })
    expect(values.size).toBeGreaterThan(40)
  })
})
