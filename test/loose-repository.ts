// A bare repository written without git: loose objects and refs, byte for byte as git writes them. A process for each
// change would cost the tests more than what they test.
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { CommitOptions } from './git-server.js'

/** Makes what `git init --bare --initial-branch=main` makes, without its example hooks. An existing one stays. */
export function writeRepository(directory: string): void {
  if (existsSync(join(directory, 'HEAD'))) return
  for (const folder of ['hooks', 'info', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(directory, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n')
}

/** Stores an object, well formed or not. Gives its ID. */
export function writeObject(directory: string, type: string, content: string | Uint8Array): string {
  const bytes = Buffer.from(content)
  const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])
  const id = createHash('sha1').update(whole).digest('hex')
  const file = join(directory, 'objects', id.slice(0, 2), id.slice(2))
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, deflateSync(whole, { level: 1 }), { mode: 0o444 })
  }
  return id
}

/** Moves a ref, or makes it, in one step for its readers. */
export function writeRef(directory: string, ref: string, id: string): void {
  const file = join(directory, ref)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.lock`, `${id}\n`)
  renameSync(`${file}.lock`, file)
}

/** The ID in the file of a ref; null if there is no such ref; undefined if only git can say. */
export function readRef(directory: string, ref: string): string | null | undefined {
  const stat = lstatSync(join(directory, ref), { throwIfNoEntry: false })
  if (stat === undefined) return existsSync(join(directory, 'packed-refs')) ? undefined : null
  const text = stat.isFile() ? readFileSync(join(directory, ref), 'utf8') : ''
  return /^[0-9a-f]{40}\n$/.test(text) ? text.trim() : undefined
}

/** Removes a branch or tag that is a file of its own. False: only git can do it. */
export function removeRef(directory: string, ref: string): boolean {
  const isPlain = /^refs\/(heads|tags)\/[^/]+$/.test(ref) && !existsSync(join(directory, 'packed-refs'))
  if (!isPlain || typeof readRef(directory, ref) !== 'string') return false
  rmSync(join(directory, ref))
  return true
}

interface File {
  readonly mode: '100644' | '120000' | '160000' | '40000'
  readonly id: string
}

/** By path. */
type Files = ReadonlyMap<string, File>

/** A commit of more files is packed by git: a file for each object would be slower. */
const mostFiles = 100

/** Writes commits on commits that it wrote. */
export class LooseCommits {
  readonly #directory: string
  readonly #files = new Map<string, Files>()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Whether it wrote this commit. */
  has(commit: string): boolean {
    return this.#files.has(commit)
  }

  /** Writes a commit without moving a ref. Gives its ID; undefined if only git can write it. */
  write(
    { files = {}, removed = [], message = 'Change', from }: CommitOptions & { readonly from: string | null },
    date: number,
  ): string | undefined {
    const before = from === null ? new Map<string, File>() : this.#files.get(from)
    const paths = Object.keys(files)
    if (before === undefined || paths.length > mostFiles || paths.some(isOdd)) return undefined
    const after = new Map(before)
    for (const path of removed) removeBelow(after, path)
    for (const [path, file] of Object.entries(files)) {
      removeBelow(after, path)
      for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
        after.delete(path.slice(0, end))
      after.set(path, this.#writeFile(file))
    }
    const author = `Test <test@example.com> ${date} +0000`
    const head = `tree ${this.#writeTree(after)}\n${from === null ? '' : `parent ${from}\n`}`
    const id = writeObject(this.#directory, 'commit', `${head}author ${author}\ncommitter ${author}\n\n${message}`)
    this.#files.set(id, after)
    return id
  }

  #writeFile(file: NonNullable<CommitOptions['files']>[string]): File {
    if (typeof file === 'string' || file instanceof Uint8Array)
      return { mode: '100644', id: writeObject(this.#directory, 'blob', file) }
    if ('submodule' in file) return { mode: '160000', id: file.submodule }
    return { mode: '120000', id: writeObject(this.#directory, 'blob', file.link) }
  }

  #writeTree(files: Files): string {
    const entries = new Map<string, File>()
    const folders = new Map<string, Map<string, File>>()
    for (const [path, file] of files) {
      const slash = path.indexOf('/')
      if (slash < 0) entries.set(path, file)
      else {
        const name = path.slice(0, slash)
        if (!folders.has(name)) folders.set(name, new Map())
        folders.get(name)!.set(path.slice(slash + 1), file)
      }
    }
    for (const [name, inside] of folders) entries.set(name, { mode: '40000', id: this.#writeTree(inside) })
    const sorted = [...entries].map(([name, file]) => ({ ...file, name: Buffer.from(name) })).sort(byTreeOrder)
    const parts = sorted.flatMap(({ name, mode, id }) => [
      Buffer.from(`${mode} `),
      name,
      Buffer.of(0),
      Buffer.from(id, 'hex'),
    ])
    return writeObject(this.#directory, 'tree', Buffer.concat(parts))
  }
}

/** A path that git does not take as it is. */
function isOdd(path: string): boolean {
  return path.split('/').some((name) => /^(\.{0,2}|\.git)$/i.test(name))
}

function removeBelow(files: Map<string, File>, path: string): void {
  for (const one of files.keys()) if (one === path || path === '' || one.startsWith(`${path}/`)) files.delete(one)
}

interface Entry extends File {
  readonly name: Buffer
}

/** Names as bytes, those of folders as if they ended in a slash. */
function byTreeOrder(a: Entry, b: Entry): number {
  return Buffer.compare(treeName(a), treeName(b))
}

function treeName({ name, mode }: Entry): Buffer {
  return mode === '40000' ? Buffer.concat([name, Buffer.from('/')]) : name
}
