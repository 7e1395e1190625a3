// Each adapter keeps what the port promises.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { ignoreFile, isPackageFile, packageFileFilter } from '../../src/package/package-files.js'
import { DirectorySource } from '../../src/source/directory/directory-source.js'
import { GitSource } from '../../src/source/git/git-source.js'
import { InlineSource } from '../../src/source/inline/inline-source.js'
import { blobId } from '../../src/source/blob-id.js'
import { UrlSource } from '../../src/source/url/url-source.js'
import { jsonDigest } from '../../src/plan/digest.js'
import { tarGz } from '../archives.js'
import { startFileServer } from '../file-server.js'
import { makeRepository, startGitServer } from '../git-server.js'
import { MemoryGit } from '../memory-git.js'
import { ManualClock } from '../manual-clock.js'
import { openAccess } from './access.js'
import { describeSource } from './describe-source.js'
import { LIMITS } from './git-world.js'
import { openNewStore } from '../new-data-directory.js'

function temporary(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-source-')))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

describeSource('git', async () => {
  const root = temporary()
  const repository = await makeRepository(join(root.path, 'served'))
  const server = await startGitServer(join(root.path, 'served'))
  const access = openAccess()
  const source = new GitSource({
    directory: join(root.path, 'git'),
    limits: LIMITS,
    allow: { directories: [] },
    dataDirectory: join(root.path, 'data'),
    access,
  })
  return {
    source,
    spec: { kind: 'git', url: `${server.url}/${repository.name}`, ref: 'main', path: '' },
    write: async (text) => void (await repository.commit({ files: { 'package.yml': text } })),
    async [Symbol.asyncDispose]() {
      await access[Symbol.asyncDispose]()
      await server.close()
      root[Symbol.dispose]()
    },
  }
})

describeSource('git, in memory', async () => {
  const git = new MemoryGit()
  const repository = git.makeRepository()
  return {
    source: git.openSource({ limits: LIMITS }),
    spec: { kind: 'git', url: `${git.url}/${repository.name}`, ref: 'main', path: '' },
    write: async (text) => void (await repository.commit({ files: { 'package.yml': text } })),
    [Symbol.asyncDispose]: async () => {},
  }
})

const bodies: Readonly<Record<string, readonly [string, (text: string) => string | Buffer]>> = {
  url: ['/boards.yml', (text) => text],
  'url, an archive': ['/boards.tar.gz', (text) => tarGz([{ name: 'package.yml', data: text }])],
}
for (const [kind, [path, body]] of Object.entries(bodies))
  describeSource(kind, async () => {
    const root = temporary()
    const server = await startFileServer()
    const access = openAccess()
    const source = new UrlSource({
      directory: join(root.path, 'url'),
      limits: LIMITS,
      networks: [],
      access,
    })
    return {
      source,
      spec: { kind: 'url', url: server.url + path },
      write: async (text) => server.serve(path, body(text)),
      async [Symbol.asyncDispose]() {
        await access[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
        root[Symbol.dispose]()
      },
    }
  })

describeSource('directory', async () => {
  const root = temporary()
  const directory = join(root.path, 'boards')
  mkdirSync(directory)
  return {
    source: new DirectorySource({
      limits: LIMITS,
      allow: { directories: [{ path: root.path }] },
      dataDirectory: join(root.path, 'data'),
      packageFiles: { ignoreFile, isPackageFile, isPackageFileBut: packageFileFilter },
    }),
    spec: { kind: 'directory', directory },
    write: async (text) => writeFileSync(join(directory, 'package.yml'), text),
    [Symbol.asyncDispose]: async () => root[Symbol.dispose](),
  }
})

describeSource('inline', async () => {
  const root = temporary()
  const store = openNewStore(join(root.path, 'gitmoor.db'), new ManualClock())
  const spec = { ...stackDefaults, name: 'boards', sources: [{ kind: 'inline' }] } as const
  const { stack } = await store.stacks.create(spec, {
    managedBy: 'api',
    target: 'embedded/main',
    cause: { kind: 'created', by: 'ann' },
  })
  return {
    source: new InlineSource(store.pushes),
    spec: { kind: 'inline' },
    write: async (text) => {
      const bytes = Buffer.from(text)
      const id = blobId(bytes)
      await store.pushes.put(stack.id, {
        digest: jsonDigest([['package.yml', id]]),
        files: [{ path: 'package.yml', id, bytes }],
        by: 'ann',
      })
    },
    async [Symbol.asyncDispose]() {
      store[Symbol.dispose]()
      root[Symbol.dispose]()
    },
  }
})
