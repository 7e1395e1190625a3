// Real git for tests: repositories as git writes them, served by `git http-backend` over a node server on the loopback
// interface.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { secured, type ServerCertificate } from './certificates.js'
import { LooseCommits, readRef, removeRef, writeObject, writeRef, writeRepository } from './loose-repository.js'

const run = promisify(execFile)

/** A clean environment with a fixed identity; the date only where it is not given. */
export function gitEnvironment(date = 1_700_000_000): NodeJS.ProcessEnv {
  const stamp = `${date} +0000`
  return {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_AUTHOR_DATE: stamp,
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
    GIT_COMMITTER_DATE: stamp,
  }
}

/** Runs git in a directory; gives what it printed, trimmed. */
export async function git(directory: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: directory, env: gitEnvironment(), maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

export interface CommitOptions {
  /** By path. `{ link }`: a symbolic link; `{ submodule }`: a commit of another repository. Default: no change. */
  readonly files?: Readonly<
    Record<string, string | Uint8Array | { readonly link: string } | { readonly submodule: string }>
  >
  readonly removed?: readonly string[]
  readonly message?: string
  /** Default main. */
  readonly branch?: string
  /** Commit or ref that it follows. Default: the branch as it is; null: nothing. */
  readonly from?: string | null
  /** Lightweight tags that are moved to it. */
  readonly tags?: readonly string[]
}

/** A bare repository. Every change is there for others at once, as if it had been pushed. */
export interface Repository {
  readonly directory: string
  readonly name: string
  /** Makes a commit. Gives its id. */
  commit(options?: CommitOptions): Promise<string>
  /** Makes or moves a tag. `annotated`: with a tag object of its own. */
  tag(name: string, commit: string, options?: { readonly annotated?: boolean }): Promise<void>
  branch(name: string, commit: string): Promise<void>
  /** Takes refs away: full names. */
  remove(...refs: readonly string[]): Promise<void>
  git(...args: readonly string[]): Promise<string>
  /** Stores an object as it is, well formed or not, and gives its id. */
  write(type: 'blob' | 'tree' | 'tag' | 'commit', content: string | Uint8Array): Promise<string>
  /** A work tree of it at `directory`, from which one can `git push`. */
  clone(directory: string): Promise<(...args: readonly string[]) => Promise<string>>
}

/** Makes an empty bare repository at `<root>/<name>.git`, its HEAD at main. */
export async function makeRepository(root: string, name = 'repository'): Promise<Repository> {
  const directory = join(root, `${name}.git`)
  writeRepository(directory)
  const inside = (...args: readonly string[]): Promise<string> => git(directory, ...args)
  const commits = new LooseCommits(directory)
  const heads = new Map<string, string>()
  let date = 1_700_000_000
  return {
    directory,
    name: `${name}.git`,
    git: inside,
    write: async (type, content) => writeObject(directory, type, content),
    async commit(options = {}) {
      const branch = options.branch ?? 'main'
      const known = options.from === undefined ? (heads.get(branch) ?? (await headOf(directory, branch))) : options.from
      const whole = { ...options, branch, from: known }
      const written = commits.write(whole, (date += 60))
      const id = written ?? (await fastImport(directory, whole, date))
      heads.set(branch, id)
      if (written === undefined) return id
      for (const ref of [`refs/heads/${branch}`, ...(options.tags ?? []).map((tag) => `refs/tags/${tag}`)])
        writeRef(directory, ref, id)
      return id
    },
    async tag(tag, commit, { annotated = false } = {}) {
      if (!commits.has(commit))
        await inside('tag', '--force', ...(annotated ? ['-a', '-m', `Tag ${tag}`] : []), tag, commit)
      else writeRef(directory, `refs/tags/${tag}`, annotated ? writeTag(directory, tag, commit) : commit)
    },
    async branch(branch, commit) {
      heads.delete(branch)
      if (commits.has(commit)) writeRef(directory, `refs/heads/${branch}`, commit)
      else await inside('update-ref', `refs/heads/${branch}`, commit)
    },
    async remove(...refs) {
      heads.clear()
      for (const ref of refs) if (!removeRef(directory, ref)) await inside('update-ref', '-d', ref)
    },
    async clone(to) {
      heads.clear()
      await run('git', ['clone', '--quiet', directory, to], { env: gitEnvironment() })
      return (...args) => {
        heads.clear()
        return git(to, ...args)
      }
    },
  }
}

function writeTag(directory: string, tag: string, commit: string): string {
  const tagger = 'Test <test@example.com> 1700000000 +0000'
  const text = `object ${commit}\ntype commit\ntag ${tag}\ntagger ${tagger}\n\nTag ${tag}\n`
  return writeObject(directory, 'tag', text)
}

async function headOf(directory: string, branch: string): Promise<string | null> {
  const known = readRef(directory, `refs/heads/${branch}`)
  if (known !== undefined) return known
  return git(directory, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).catch(() => null)
}

async function fastImport(
  directory: string,
  options: CommitOptions & { readonly branch: string },
  date: number,
): Promise<string> {
  const child = spawn('git', ['fast-import', '--quiet', '--force', '--cat-blob-fd=1'], {
    cwd: directory,
    env: gitEnvironment(),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  child.stdin.on('error', () => undefined).end(importStream(options, date))
  if ((await ended) !== 0) throw new Error(`git fast-import: ${stderr}`)
  return stdout.trim()
}

function importStream(
  { branch, from, files = {}, removed = [], tags = [], message = 'Change' }: CommitOptions,
  date: number,
): Buffer {
  const data = (bytes: Uint8Array): readonly Uint8Array[] => [
    Buffer.from(`data ${bytes.length}\n`),
    bytes,
    Buffer.from('\n'),
  ]
  const parts: Uint8Array[] = [
    Buffer.from(`commit refs/heads/${branch}\nmark :1\ncommitter Test <test@example.com> ${date} +0000\n`),
  ]
  parts.push(...data(Buffer.from(message)))
  if (from === null) parts.push(Buffer.from('deleteall\n'))
  else if (from !== undefined) parts.push(Buffer.from(`from ${from}\n`))
  for (const path of removed) parts.push(Buffer.from(`D ${quote(path)}\n`))
  for (const [path, file] of Object.entries(files)) {
    if (typeof file === 'object' && 'submodule' in file)
      parts.push(Buffer.from(`M 160000 ${file.submodule} ${quote(path)}\n`))
    else if (typeof file === 'object' && 'link' in file) {
      parts.push(Buffer.from(`M 120000 inline ${quote(path)}\n`), ...data(Buffer.from(file.link)))
    } else
      parts.push(
        Buffer.from(`M 100644 inline ${quote(path)}\n`),
        ...data(typeof file === 'string' ? Buffer.from(file) : file),
      )
  }
  for (const tag of tags) parts.push(Buffer.from(`reset refs/tags/${tag}\nfrom :1\n\n`))
  parts.push(Buffer.from('get-mark :1\ndone\n'))
  return Buffer.concat(parts)
}

function quote(path: string): string {
  return path === '' ? '""' : `"${path.replace(/["\\]/g, (character) => `\\${character}`).replace(/\n/g, '\\n')}"`
}

/** One request that came in. */
export interface Seen {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** What to do with a request. `backend` asks `git http-backend`: its answer, whole. */
export type Intercept = (
  seen: Seen,
  response: ServerResponse,
  backend: () => Promise<BackendAnswer>,
) => Promise<void> | void

export interface BackendAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface GitServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` or `https:`, to which a repository's path is added. */
  readonly url: string
  /** Requests since the last `reset`, in order. */
  readonly seen: readonly Seen[]
  /** Bytes of answers' bodies since the last `reset`. */
  readonly sentBytes: number
  /** From now on `fn` answers; undefined: `git http-backend` again. */
  intercept(fn: Intercept | undefined): void
  /**
   * The newest version of the protocol it speaks. 0: as one before which a proxy strips the header that asks for
   * another. Default 2.
   */
  speak(newest: 0 | 1 | 2): void
  /** Of one that serves https: from now on it has another certificate. */
  renew(tls: { readonly key: string; readonly cert: string }): void
  reset(): void
  /** Ends the connections that are kept open. */
  closeConnections(): void
  /** Ends all connections and the server. */
  close(): Promise<void>
}

export interface GitServerOptions {
  /** Serves https. */
  readonly tls?: ServerCertificate
}

/** Serves every repository below `root`; pushing is allowed. */
export async function startGitServer(root: string, { tls }: GitServerOptions = {}): Promise<GitServer> {
  let seen: Seen[] = []
  let sentBytes = 0
  let intercept: Intercept | undefined
  let version: 0 | 1 | 2 = 2
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  }
  const server = tls === undefined ? createServer(listener) : secured(tls, listener)
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const one: Seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
    }
    seen.push(one)
    const backend = (): Promise<BackendAnswer> => askBackend(root, one, version)
    if (intercept !== undefined) return intercept(one, response, backend)
    const { status, headers, body } = await backend()
    sentBytes += body.length
    response.writeHead(status, headers).end(body)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get seen() {
      return seen
    },
    get sentBytes() {
      return sentBytes
    },
    intercept: (fn) => void (intercept = fn),
    speak: (newest) => void (version = newest),
    renew: (certificate) => void (server instanceof SecureServer && server.setSecureContext(certificate)),
    reset() {
      seen = []
      sentBytes = 0
    },
    closeConnections: () => server.closeAllConnections(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The program itself: `git` would only start it. */
let backendProgram: string | undefined

/** The Common Gateway Interface (RFC 3875), as far as git uses it. */
async function askBackend(
  root: string,
  { method, url, headers, body }: Seen,
  version: 0 | 1 | 2,
): Promise<BackendAnswer> {
  const { pathname, search } = new URL(url, 'http://localhost')
  const requested = version === 1 ? 'version=1' : headers['git-protocol']
  const protocol = version === 0 ? undefined : requested
  backendProgram ??= join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend')
  const child = spawn(backendProgram, {
    env: {
      ...gitEnvironment(),
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'test',
      REQUEST_METHOD: method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      ...(headers['content-encoding'] === undefined ? {} : { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
      ...(protocol === undefined ? {} : { GIT_PROTOCOL: String(protocol) }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const chunks: Buffer[] = []
  child.stdin.on('error', () => undefined).end(body)
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk)
  return readAnswer(Buffer.concat(chunks))
}

function readAnswer(bytes: Buffer): BackendAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  const lines = bytes.toString('latin1', 0, Math.max(0, end)).split('\r\n')
  const pairs = lines.map((line): [string, string] => [
    line.replace(/:.*/, '').toLowerCase(),
    line.replace(/^[^:]*: */, ''),
  ])
  const { status = '200', ...headers } = Object.fromEntries(pairs) as Record<string, string>
  return { status: Number.parseInt(status, 10), headers, body: bytes.subarray(end + 4) }
}
