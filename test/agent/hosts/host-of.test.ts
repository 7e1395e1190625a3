import { expect, test } from 'vitest'
import { remoteHost } from '../../../src/agent/hosts/hosts.js'

test.each([
  ['https://git.example/acme/boards', 'git.example'],
  ['https://git.example:8443/acme/boards', 'git.example:8443'],
  ['http://127.0.0.1:3000/a', '127.0.0.1:3000'],
  ['http://[::1]:3000/a', '[::1]:3000'],
  ['url:https://files.example/a.yml', 'files.example'],
  ['ssh://git@git.example/acme/boards', 'git.example'],
  ['file:///srv/boards', undefined],
  ['directory:/srv/http://x', undefined],
  ['inline:boards', undefined],
])('%s is reached at %s', (remote, host) => {
  expect(remoteHost(remote)).toBe(host)
})
