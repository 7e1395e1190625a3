// The plan of a stack with 10,000 resources, none of which changed.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { openAgent } from './agent.mjs'
import { makeRepository } from './git.mjs'
import { startGitServer } from './git-server.mjs'
import { bucket } from './packages.mjs'
import { median, row, timed } from './row.mjs'

export const scales = {
  full: { files: 100, resources: 10_000, turns: 7 },
  small: { files: 2, resources: 10, turns: 1 },
}

export async function measure({ dist, directory, keep, scale: { files, resources, turns } }) {
  const root = join(directory, 'served')
  mkdirSync(root)
  const repository = await makeRepository(root, 'large.git')
  const texts = textsOf({ files, resources })
  await repository.commit(texts)
  const server = keep(await startGitServer(root))
  let ended = () => {}
  const first = new Promise((resolve) => (ended = resolve))
  const open = keep(await openAgent({ dist, data: join(directory, 'data'), onRunEnd: async () => ended() }))
  const { stack } = await open.store.stacks.create(open.stackAt('large', `${server.url}/large.git`), {
    managedBy: 'api',
    target: 'embedded/main',
    cause: { kind: 'created' },
  })
  open.agent.polls.follow(stack)
  await open.agent.start()
  await first
  const cached = median(await timed(turns, () => plan(open.useCases, resources), { warmUp: 3 }))
  const forgetful = open.forgetfulUseCases()
  const fromBytes = median(await timed(turns, () => plan(forgetful, resources), { warmUp: 2 }))
  const yaml = createRequire(import.meta.url)('js-yaml')
  const reading = median(await timed(turns, () => Object.values(texts).forEach((text) => yaml.loadAll(text))))
  const beside = { what: 'js-yaml reads the files', figure: reading }
  return [
    row(`plan of ${resources.toLocaleString('en')} unchanged, documents cached`, cached, 'ms', {
      beside,
      aim: { most: 300 },
    }),
    row(`plan of ${resources.toLocaleString('en')} unchanged, from bytes`, fromBytes, 'ms', {
      beside,
      aim: { most: 2000 },
    }),
  ]
}

async function plan(useCases, resources) {
  const { unchanged, changes } = await useCases.previewPlan('large', {}, new AbortController().signal)
  if (changes.length > 0 || unchanged !== resources)
    throw new Error(`The plan has ${changes.length} changes, ${unchanged} unchanged.`)
}

function textsOf({ files, resources }) {
  const each = resources / files
  const text = (file) => Array.from({ length: each }, (_, at) => bucket(`bucket-${file * each + at}`)).join('---\n')
  return Object.fromEntries(
    Array.from({ length: files }, (_, file) => [`buckets-${String(file).padStart(3, '0')}.yml`, text(file)]),
  )
}
