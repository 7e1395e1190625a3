// The repository of a sequence: commits with what each stack's path holds, and the refs. Behind it either memory or a real repository.
import { createHash } from 'node:crypto'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import { digitsOf } from '../../src/model/revision.js'
import type { Resolved, Source } from '../../src/source/source.js'
import type { Tips } from '../../src/source/tips.js'
import type { Repository } from '../git-server.js'
import { Dice } from './dice.js'
import { packageText, type Content } from './package-model.js'

export interface Commit {
  readonly id: string
  /** By stack. */
  readonly contents: Readonly<Record<string, Content>>
  readonly texts: Readonly<Record<string, string | undefined>>
}

export interface History {
  readonly url: string
  readonly commits: readonly Commit[]
  readonly refs: ReadonlyMap<string, string>
  commit(contents: Commit['contents'], seed: number, tags: readonly string[]): Promise<Commit>
  tag(name: string, commit: Commit): Promise<void>
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

  commit(contents: Commit['contents'], seed: number, tags: readonly string[]): Promise<Commit> {
    const texts = textsOf(contents, seed)
    const commit = { id: hash([this.commits.length, texts]), contents, texts }
    this.commits.push(commit)
    for (const ref of ['main', ...tags]) this.refs.set(ref, commit.id)
    return Promise.resolve(commit)
  }

  async tag(name: string, { id }: Commit): Promise<void> {
    this.refs.set(name, id)
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
        const commit = this.refs.get(ref)
        if (commit === undefined) return [ref, new Rejected(`There is no ref ${ref}.`, { code: 'source/ref-missing' })]
        return [ref, { name: ref === 'main' ? 'refs/heads/main' : `refs/tags/${ref}`, object: commit, state: `sha1:${commit}` }]
      }),
    )
  }

  /** Made by nobody in particular; later commits come from earlier ones. */
  readonly tips: Tips = {
    describe: async () => ({ tag: null, commit: { name: 'Test', email: '', at: 0, message: '' }, signature: { state: 'none' } }),
    isForward: async (_remote, { from, to }) => this.#numberOf(from) <= this.#numberOf(to),
    promote: async (_remote, { tag, commit }) => {
      this.refs.set(tag, commit)
      return { object: commit, commit }
    },
  }

  #numberOf(id: string): number {
    return this.commits.findLastIndex((commit) => commit.id === id)
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

  async commit(contents: Commit['contents'], seed: number, tags: readonly string[]): Promise<Commit> {
    const texts = textsOf(contents, seed)
    const files: Record<string, string> = { 'README.md': `Commit ${this.commits.length}` }
    const removed: string[] = []
    for (const [stack, text] of Object.entries(texts)) {
      if (text === undefined) removed.push(`${stack}/package.yml`)
      else files[`${stack}/package.yml`] = text
    }
    const id = await this.#repository.commit({ files, removed, tags })
    const commit = { id, contents, texts }
    this.commits.push(commit)
    for (const ref of ['main', ...tags]) this.refs.set(ref, id)
    return commit
  }

  async tag(name: string, { id }: Commit): Promise<void> {
    await this.#repository.tag(name, id)
    this.refs.set(name, id)
  }
}
