// The agent as it is shipped, but polling a remote with FAULT in its address throws where nothing catches it. DIST:
// where the built program is.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

process.setSourceMapsEnabled(true) // as main.ts does
const load = (file) => import(pathToFileURL(join(process.env['DIST'], file)).href)
const [{ adapters }, { runAgent }] = await Promise.all([load('adapters.js'), load('run-agent.js')])
const option = (name) => process.argv[process.argv.indexOf(name) + 1]

process.exitCode = await runAgent(
  { data: option('--data'), listen: option('--listen'), config: option('--config') },
  { version: '0.0.0-faulty', adapters: { ...adapters, openSource: (options) => faulty(adapters.openSource(options)) } },
)

function faulty(source) {
  return {
    tips: source.tips,
    remoteOf: (...args) => source.remoteOf(...args),
    fetch: (...args) => source.fetch(...args),
    content: (...args) => source.content(...args),
    files: (...args) => source.files(...args),
    keepOnly: (...args) => source.keepOnly(...args),
    watch: (...args) => source.watch(...args),
    poll: (remote, ...args) => {
      if (!remote.includes('FAULT')) return source.poll(remote, ...args)
      const fault = new Error('a fault nobody expected')
      setTimeout(() => {
        throw fault
      }, 300)
      return new Promise(() => {})
    },
  }
}
