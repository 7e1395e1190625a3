// The repository of a sequence: commits with what each stack's path holds, and the refs. Behind it either memory or a real repository.
import { createHash } from 'node:crypto'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import { digitsOf } from '../../src/model/revision.js'
import type { Resolved, Source } from '../../src/source/source.js'
import type { Tips } from '../../src/source/tips.js'
import { chooseVersion } from '../../src/source/git/version-tags.js'
import { readVersionRange } from '../../src/model/version-range.js'
import type { Repository } from '../git-server.js'
import { Dice } from './dice.js'
import { packageText, type Content } from './package-model.js'

export interface Commit {
  readonly id: string
  /** By stack. */
  readonly contents: Readonly<Record<string, Content>>
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly parent: Commit | undefined
}

/** `parent`: main stays where it is. Default: where main stands, which then goes on. */
export interface Committing {
  readonly tags: readonly string[]
  readonly parent?: Commit
}

export interface History {
  readonly url: string
  readonly commits: readonly Commit[]
  readonly refs: ReadonlyMap<string, string>
  commit(contents: Commit['contents'], seed: number, committing: Committing): Promise<Commit>
  tag(name: string, commit: Commit): Promise<void>
  /** Takes a tag away. */
  remove(tag: string): Promise<void>
  /** Whether a commit has another one among its ancestors, or is it. By id. */
  isForward(from: string, to: string): boolean
}

/** What a ref leads to, be it a name or a range of versions; undefined: it is not there. */
export function commitAt({ refs }: Pick<History, 'refs'>, ref: string): string | undefined {
  return refs.get(nameAt(refs, ref) ?? '')
}

function nameAt(refs: History['refs'], ref: string): string | undefined {
  const range = readVersionRange(ref)
  if (range === undefined) return ref
  return chooseVersion(
    [...refs.keys()].map((name) => `refs/tags/${name}`),
    range,
  )?.slice('refs/tags/'.length)
}

function isForward(commits: readonly Commit[], from: string, to: string): boolean {
  for (let at = commitNamed({ commits }, to); at !== undefined; at = at.parent) if (at.id === from) return true
  return false
}

export function commitNamed({ commits }: Pick<History, 'commits'>, id: string): Commit | undefined {
  return commits.findLast((commit) => commit.id === id)
}

function textsOf(contents: Commit['contents'], seed: number): Commit['texts'] {
  return Object.fromEntries(Object.entries(contents).map(([stack, content]) => [stack, packageText(content, new Dice(seed))]))
}

/** A repository that is only remembered, and the source that reads it. */
export class RememberedHistory implements History, Source {
  readonly url = 'https://git.example/repository'
  readonly commits: Commit[] = []
  readonly refs = new Map<string, string>()

  commit(contents: Commit['contents'], seed: number, { tags, parent }: Committing): Promise<Commit> {
    const texts = textsOf(contents, seed)
    const commit = {
      id: hash([this.commits.length, texts]),
      contents,
      texts,
      parent: parent ?? commitNamed(this, this.refs.get('main') ?? ''),
    }
    this.commits.push(commit)
    for (const ref of [...(parent === undefined ? ['main'] : []), ...tags]) this.refs.set(ref, commit.id)
    return Promise.resolve(commit)
  }

  async tag(name: string, { id }: Commit): Promise<void> {
    this.refs.set(name, id)
  }

  async remove(tag: string): Promise<void> {
    this.refs.delete(tag)
  }

  isForward(from: string, to: string): boolean {
    return isForward(this.commits, from, to)
  }

  remoteOf(): string {
    return this.url
  }

  watch(): undefined {
    return undefined
  }

  async keepOnly(): Promise<number> {
    return 0
  }

  async look(_remote: string, refs: readonly string[]): ReturnType<Source['look']> {
    return new Map(
      refs.map((ref): [string, Resolved | Error] => {
        const name = nameAt(this.refs, ref)
        const commit = this.refs.get(name ?? '')
        if (commit === undefined) return [ref, new Rejected(`There is no ref ${ref}.`, { code: 'source/ref-missing' })]
        return [ref, { name: name === 'main' ? 'refs/heads/main' : `refs/tags/${name}`, object: commit, state: `sha1:${commit}` }]
      }),
    )
  }

  /** Made by nobody in particular. */
  readonly tips: Tips = {
    describe: async () => ({ tag: null, commit: { name: 'Test', email: '', at: 0, message: '' }, signature: { state: 'none' } }),
    isForward: async (_remote, { from, to }) => this.isForward(from, to),
    promote: async (_remote, { tag, commit }) => {
      this.refs.set(tag, commit)
      return { object: commit, commit }
    },
  }

  async fetch(_remote: string, state: string): Promise<void> {
    this.#at(state)
  }

  async content(_remote: string, state: string, path: string): Promise<string | undefined> {
    const text = this.#at(state).texts[path]
    return text === undefined ? undefined : hash(text)
  }

  async files(_remote: string, state: string, path: string): ReturnType<Source['files']> {
    const text = this.#at(state).texts[path]!
    return [{ path: 'package.yml', id: hash(text), bytes: Buffer.from(text) }]
  }

  #at(state: string): Commit {
    const id = digitsOf(state)
    const commit = commitNamed(this, id)
    if (commit === undefined) throw new Unavailable(`There is no commit ${id}.`, { code: 'source/commit-missing' })
    return commit
  }
}

function hash(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('hex')
}

/** The same over a real repository, which a real source reads. */
export class RepositoryHistory implements History {
  readonly url: string
  readonly commits: Commit[] = []
  readonly refs = new Map<string, string>()
  readonly #repository: Repository

  constructor(repository: Repository) {
    this.#repository = repository
    this.url = `file://${repository.directory}`
  }

  async commit(contents: Commit['contents'], seed: number, { tags, parent }: Committing): Promise<Commit> {
    const texts = textsOf(contents, seed)
    const files: Record<string, string> = { 'README.md': `Commit ${this.commits.length}` }
    const removed: string[] = []
    for (const [stack, text] of Object.entries(texts)) {
      if (text === undefined) removed.push(`${stack}/package.yml`)
      else files[`${stack}/package.yml`] = text
    }
    const beside = parent === undefined ? {} : { branch: 'beside', from: parent.id }
    const id = await this.#repository.commit({ files, removed, tags, ...beside })
    const commit = { id, contents, texts, parent: parent ?? commitNamed(this, this.refs.get('main') ?? '') }
    this.commits.push(commit)
    for (const ref of [...(parent === undefined ? ['main'] : []), ...tags]) this.refs.set(ref, id)
    return commit
  }

  async tag(name: string, { id }: Commit): Promise<void> {
    await this.#repository.tag(name, id)
    this.refs.set(name, id)
  }

  async remove(tag: string): Promise<void> {
    await this.#repository.remove(`refs/tags/${tag}`)
    this.refs.delete(tag)
  }

  isForward(from: string, to: string): boolean {
    return isForward(this.commits, from, to)
  }
}
