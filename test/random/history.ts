// The repository of a sequence: commits with what each stack's path holds, and the refs. Behind it either memory or a
// real repository.
import { finish } from '../../src/lib/async/steps.js'
import { chosenVersionSteps } from '../../src/source/git/refs/version-tags.js'
import { readVersionRange } from '../../src/model/sources/ref.js'
import type { AnyRepository } from '../memory-repository.js'
import { Dice } from './dice.js'
import { packageText, type Content } from './package-model.js'

export interface Commit {
  readonly id: string
  /** By stack. */
  readonly contents: Readonly<Record<string, Content>>
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly parent: Commit | undefined
}

/** `parent`: main does not move. Default: the tip of main, which then moves. */
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

/** The commit of a ref name or a range of versions; undefined: it does not exist. */
export function commitAt({ refs }: Pick<History, 'refs'>, ref: string): string | undefined {
  return refs.get(nameAt(refs, ref) ?? '')
}

function nameAt(refs: History['refs'], ref: string): string | undefined {
  const range = readVersionRange(ref)
  if (range === undefined) return ref
  const names = [...refs.keys()].map((name) => `refs/tags/${name}`)
  return finish(chosenVersionSteps(names, range))?.slice('refs/tags/'.length)
}

function isForward(commits: readonly Commit[], from: string, to: string): boolean {
  for (let at = commitNamed({ commits }, to); at !== undefined; at = at.parent) if (at.id === from) return true
  return false
}

export function commitNamed({ commits }: Pick<History, 'commits'>, id: string): Commit | undefined {
  return commits.findLast((commit) => commit.id === id)
}

function textsOf(contents: Commit['contents'], seed: number, apiVersion: string): Commit['texts'] {
  return Object.fromEntries(
    Object.entries(contents).map(([stack, content]) => [stack, packageText(content, new Dice(seed), apiVersion)]),
  )
}

export class RepositoryHistory implements History {
  readonly url: string
  readonly commits: Commit[] = []
  readonly refs = new Map<string, string>()
  readonly #repository: AnyRepository
  readonly #apiVersion: string

  /** `url`: where a source finds the repository. `apiVersion`: of its documents. */
  constructor(repository: AnyRepository, url: string, apiVersion: string) {
    this.#repository = repository
    this.#apiVersion = apiVersion
    this.url = url
  }

  async commit(contents: Commit['contents'], seed: number, { tags, parent }: Committing): Promise<Commit> {
    const texts = textsOf(contents, seed, this.#apiVersion)
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
