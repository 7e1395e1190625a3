import { expect, test } from 'vitest'
import { parseNetwork } from '../../../src/source/network/parse-network.js'

test.each([
  ['10.1.0.0/16', { address: '10.1.0.0', bits: 16, family: 'ipv4' }],
  ['0.0.0.0/0', { address: '0.0.0.0', bits: 0, family: 'ipv4' }],
  ['fd00::/128', { address: 'fd00::', bits: 128, family: 'ipv6' }],
])('%s is a network', (text, network) => {
  expect(parseNetwork(text)).toEqual(network)
})

test.each(['10.1.0.0', '10.1.0.0/33', '10.1.0.0/', '10.1.0.0/8/8', '10.1/16', 'fd00::/129', 'example.com/8', '/8', ''])(
  '%j is none',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined()
  },
)
