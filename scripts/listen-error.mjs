// Tries, before a build, whether the agent can listen.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { parse } from 'yaml'
import { optionValue, readAgentFile } from './agent-options.mjs'

/**
 * Why the agent cannot listen, as lines to print; undefined: it can. An address that is not valid is left to the agent,
 * which says where it is written.
 */
export async function listenError(words) {
  const address = optionValue(words, '--listen') ?? configured(optionValue(words, '--config')) ?? '127.0.0.1:4470'
  const [, ipv6, name, port] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(address) ?? []
  if (port === undefined || Number(port) > 65_535) return undefined
  const error = await tryToListen(Number(port), ipv6 ?? name)
  if (error === undefined) return undefined
  const other = `npm start -- --listen 127.0.0.1:${port === '4471' ? 4472 : 4471}`
  if (error.code !== 'EADDRINUSE')
    return [`error: Cannot listen on ${address}: ${inWords(error)}.`, `  next: Choose another address: ${other}`]
  const pid = runningAgent(words, address)
  const next =
    pid === undefined
      ? `Stop the program that uses it, or choose another address: ${other}`
      : `The agent of this directory already runs, as process ${pid}. Use it: ./gitmoor stack list`
  return [`error: ${address} is already in use.`, `  next: ${next}`]
}

/** What Node says, without its code and the address. */
function inWords({ message }) {
  return message.replace(/^\w+ [A-Z]+: | \S+:\d+$/g, '')
}

function configured(file) {
  try {
    const { listen } = parse(readFileSync(file, 'utf8'))
    return typeof listen === 'string' ? listen : undefined
  } catch {
    return undefined
  }
}

function tryToListen(port, host) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

/** The process id of the agent with this data directory and address, if it runs. */
function runningAgent(words, address) {
  const { url, pid } = readAgentFile(words) ?? {}
  if (url !== `http://${address}`) return undefined
  try {
    process.kill(pid, 0)
    return pid
  } catch {
    return undefined
  }
}
