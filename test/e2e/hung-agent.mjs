// The agent as it is shipped, but its target takes a create and never answers, whatever is asked of it. DIST: where the
// built program is.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const load = (file) => import(pathToFileURL(join(process.env['DIST'], file)).href)
const [{ adapters }, { runAgent }] = await Promise.all([load('adapters.js'), load('run-agent.js')])
const option = (name) => process.argv[process.argv.indexOf(name) + 1]

process.exitCode = await runAgent(
  { data: option('--data'), listen: option('--listen') },
  {
    version: '0.0.0-hung',
    adapters: { ...adapters, openPlatforms: (...args) => adapters.openPlatforms(...args).map(hung) },
  },
)

function hung(platform) {
  return Object.assign(Object.create(platform), {
    name: platform.name,
    kinds: platform.kinds,
    onFailure: platform.onFailure,
    kind: (...args) => platform.kind(...args),
    [Symbol.dispose]: () => platform[Symbol.dispose](),
    connect: async (...args) => {
      const connection = await platform.connect(...args)
      return {
        concurrency: connection.concurrency,
        list: (...rest) => connection.list(...rest),
        driver: (kind) => hungDriver(connection.driver(kind)),
        [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
      }
    },
  })
}

function hungDriver(driver) {
  return {
    trace: (held) => driver.trace(held),
    read: (...args) => driver.read(...args),
    find: (...args) => driver.find(...args),
    create: () => {
      console.error('a create hangs')
      return new Promise(() => {})
    },
    update: (...args) => driver.update(...args),
    remove: (...args) => driver.remove(...args),
  }
}
