// `npm run build`, after the types were checked, and `npm start`: bundles the program and the packages it uses into
// dist, with source maps. It is built beside dist, so that an agent keeps running while another `npm start` builds. A
// bundle starts in less than half the time that its 1,300 modules take.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'rolldown'
import { inputDigest, isFresh, writeStamp } from './build-stamp.mjs'
import { buildWeb } from './build-web.mjs'
import { bundledLicenses } from './bundled-licenses.mjs'
import { commandLineGroups } from './command-line-chunk.mjs'

/** Of platforms: without the folder of one, the program is built without it. */
const platformThreads = ['src/influxdb/api/template-thread.ts'].filter((file) => existsSync(file))

/** All in one directory: a thread is found beside the file that begins it. */
const entries = ['src/main.ts', 'src/stacks/load-package/parse-thread.ts', ...platformThreads]

/** What the bench and some tests open in a process of their own. */
const parts = [
  'src/adapters.ts',
  'src/open-agent.ts',
  'src/run-agent.ts',
  'src/config/config.ts',
  'src/agent/upkeep/machine-checks.ts',
  'src/api/api.ts',
  'src/api/server/access.ts',
  'src/api/session/sessions.ts',
  'src/page/page.ts',
  'src/api/server/server.ts',
  'src/lib/clock.ts',
  'src/settings/stack-settings.ts',
  'src/secrets/redact/redact.ts',
  'src/stacks/load-package/package-reader.ts',
  'src/stacks/changes/changes.ts',
  'src/stacks/context.ts',
  'src/stacks/plans/plans.ts',
  'src/stacks/plans/preview.ts',
  'src/stacks/queries/queries.ts',
  'src/stacks/runs/runs.ts',
]

/**
 * What an installation needs beside dist: programs of the machine and of WebAssembly, and openpgp, whose license lets
 * people replace it (NOTICE). All other packages are bundled, so they are `devDependencies`.
 */
const external = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies)

/**
 * Of packages that cannot be shaken, only what gitmoor imports: undici without fetch, caches and mocks, and zod without
 * 50 languages. They are a third of the program, which each start would compile.
 */
const trimmed = {
  'undici/index.js': `
    import api from './lib/api/index.js'
    import Dispatcher from './lib/dispatcher/dispatcher.js'
    Object.assign(Dispatcher.prototype, api) // request and connect, as in the index
    export { default as Agent } from './lib/dispatcher/agent.js'
    export { default as Client } from './lib/dispatcher/client.js'
    export { default as Pool } from './lib/dispatcher/pool.js'
    export { default as ProxyAgent } from './lib/dispatcher/proxy-agent.js'`,

  'zod/v4/locales/index.js': "export { default as en } from './en.js'",
}
const trim = {
  name: 'trim',
  load: {
    filter: { id: /node_modules\/(?:undici|zod\/v4\/locales)\/index\.js$/ },
    handler: (id) => trimmed[id.split('node_modules/').at(-1)],
  },
}

// The tests build only what is not fresh.
if (process.argv[2] !== '--if-stale' || !isFresh()) await buildDist()

async function buildDist() {
  const input = inputDigest()
  const draft = mkdtempSync('.dist-')
  try {
    const [{ output }, webModules] = await Promise.all([bundle(draft), buildWeb(join(draft, 'web'))])
    const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    writeFileSync(join(draft, 'licenses.txt'), bundledLicenses([...modules, ...webModules]))
    publish(draft, 'dist')
    writeStamp(input)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function bundle(dir) {
  return build({
    input: Object.fromEntries([...entries, ...parts].map((file) => [basename(file, '.ts'), file])),
    platform: 'node',
    external,
    plugins: [trim],
    transform: { target: 'node20' },
    output: {
      dir,
      chunkFileNames: '[name].js',
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: { groups: commandLineGroups },
    },
    // Some modules that verbs import when they run are in the file of the command line anyway.
    checks: { ineffectiveDynamicImport: false },
    logLevel: 'warn',
  })
}

/**
 * File by file, so that an agent that runs, or starts meanwhile, finds each; the entry comes last, when what it imports
 * is there.
 */
function publish(from, to) {
  chmodSync(join(from, 'main.js'), 0o755)
  mkdirSync(to, { recursive: true })
  const files = filesBelow(from)
  for (const file of [...files.filter((file) => file !== 'main.js'), 'main.js']) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    renameSync(join(from, file), join(to, file))
  }
  const earlier = filesBelow(to).filter((file) => !files.includes(file))
  for (const file of earlier) rmSync(join(to, file), { force: true })
}

function filesBelow(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
}
