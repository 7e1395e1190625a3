// What the authors of the packages know: repositories, what each commit of them declares, which stack follows what.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dice } from '../random/dice.js'
import { edited, firstPackage, packageText, type Content, type Item } from '../random/package-model.js'
import { makeRepository, type Repository } from '../git-server.js'

export const refs = ['main', 'stable', 'beta'] as const
export type Ref = (typeof refs)[number]

const pathsInRepository = 10

export interface Commit {
  readonly id: string
  /** By path. */
  readonly contents: readonly Content[]
}

/** A repository with ten packages, and where its refs are. */
export class Project {
  readonly name: string
  readonly commits: Commit[] = []
  readonly at: Record<Ref, Commit>
  /** Refs taken away for a while. */
  readonly gone = new Set<Ref>()
  readonly #repository: Repository
  /** What authors meant last, where what they committed is not in order. */
  readonly #meant: (readonly Item[])[]

  private constructor(repository: Repository, first: Commit) {
    this.#repository = repository
    this.name = repository.name
    this.commits.push(first)
    this.at = { main: first, stable: first, beta: first }
    this.#meant = first.contents.map((content) => content as readonly Item[])
  }

  static async make(root: string, name: string, dice: Dice): Promise<Project> {
    const repository = await makeRepository(root, name)
    const contents = Array.from({ length: pathsInRepository }, () => firstPackage(dice))
    const id = await repository.commit({ files: filesOf(contents, dice), tags: ['stable', 'beta'] })
    return new Project(repository, { id, contents })
  }

  /** A commit that changes one to three packages; one in twenty of them is not in order. */
  async push(dice: Dice): Promise<void> {
    const contents = [...this.at.main.contents]
    for (let i = dice.below(3); i >= 0; i--) {
      const path = dice.below(pathsInRepository)
      this.#meant[path] = edited(this.#meant[path]!, dice)
      contents[path] = dice.chance(95) ? this.#meant[path] : dice.pick(['invalid', 'empty'] as const)
    }
    await this.#commit(contents, dice)
  }

  /** Everything in order, and everything under another name than before, so that nothing can stand in the way of anything. */
  async pushLast(dice: Dice): Promise<void> {
    const contents = this.#meant.map((items) => items.map((item) => ({ ...item, name: `${item.name} at last` })))
    await this.#commit(contents, dice)
    for (const ref of ['stable', 'beta'] as const) await this.move(ref, this.at.main, dice)
  }

  /** Moves a tag to any commit of the newest ten, forwards or back. */
  async moveTag(dice: Dice): Promise<void> {
    await this.move(dice.pick(['stable', 'beta']), dice.pick(this.commits.slice(-10)), dice)
  }

  async move(tag: Exclude<Ref, 'main'>, commit: Commit, dice: Dice): Promise<void> {
    await this.#repository.tag(tag, commit.id, { annotated: dice.chance(50) })
    this.gone.delete(tag)
    this.at[tag] = commit
  }

  /** History is written anew: main stands where it stood before. */
  async forcePush(dice: Dice): Promise<void> {
    const commit = dice.pick(this.commits.slice(-5))
    await this.#repository.branch('main', commit.id)
    this.at.main = commit
    commit.contents.forEach((content, path) => {
      if (typeof content !== 'string') this.#meant[path] = content
    })
  }

  async takeAway(tag: Exclude<Ref, 'main'>): Promise<void> {
    if (this.gone.has(tag)) return
    await this.#repository.remove(`refs/tags/${tag}`)
    this.gone.add(tag)
  }

  async bringBack(dice: Dice): Promise<void> {
    for (const tag of this.gone) await this.move(tag as Exclude<Ref, 'main'>, this.at[tag], dice)
  }

  async #commit(contents: readonly Content[], dice: Dice): Promise<void> {
    const before = this.at.main.contents
    const changed = contents.flatMap((content, path) => (content === before[path] ? [] : [path]))
    const empty = changed.filter((path) => contents[path] === 'empty')
    const id = await this.#repository.commit({
      files: filesOf(contents, dice, changed),
      removed: empty.filter((path) => before[path] !== 'empty').map((path) => `p${path}/package.yml`),
    })
    const commit = { id, contents }
    this.commits.push(commit)
    this.at.main = commit
  }
}

function filesOf(
  contents: readonly Content[],
  dice: Dice,
  paths: readonly number[] = contents.map((_, path) => path),
): Record<string, string> {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const text = packageText(contents[path]!, dice)
      return text === undefined ? [] : [[`p${path}/package.yml`, text]]
    }),
  )
}

export interface Follower {
  readonly name: string
  readonly target: string
  readonly project: Project
  readonly ref: Ref
  readonly path: number
}

/** One stack for each package of each repository, each with a target of its own. */
export function followersOf(projects: readonly Project[], stacks: number): readonly Follower[] {
  const all = projects.flatMap((project, p) =>
    Array.from({ length: pathsInRepository }, (_, path) => ({
      name: `s${p}-${path}`,
      target: `t${p}-${path}`,
      project,
      ref: refs[path % refs.length]!,
      path,
    })),
  )
  return all.slice(0, stacks)
}

/** Secrets that must be nowhere but where they were put. */
export const canaries = { fromFile: 'canary-F7qkzLw0Yt3x', fromEnvironment: 'canary-E2vnpRs8Uc6d' } as const

/** The agent's configuration. A third of the stacks keep the guards as they are, so that plans wait for a person. */
export function writeConfiguration(
  directory: string,
  { url, followers, projects }: { readonly url: string; readonly followers: readonly Follower[]; readonly projects: readonly Project[] },
): string {
  writeFileSync(join(directory, 'token.txt'), canaries.fromFile, { mode: 0o600 })
  const secret = (name: string): boolean => projects.findIndex((project) => project.name === name) % 4 === 0
  const credentials = projects
    .filter(({ name }) => secret(name))
    .map(({ name }, i) => [
      `c${i}`,
      { match: `${url}/${name}`, allowHttp: true, token: i % 2 === 0 ? '${file:token.txt}' : '${env:ENDURANCE_TOKEN}' },
    ])
  const configuration = {
    log: { format: 'json', level: 'info' },
    limits: { driverCall: '2s', gitRequest: '5s', fetch: '20s', runsKept: 100_000 },
    credentials: Object.fromEntries(credentials),
    targets: Object.fromEntries(followers.map(({ target }) => [target, { platform: 'embedded', organisation: target }])),
    stacks: followers.map(({ name, target, project, ref, path }, i) => ({
      name,
      target,
      sources: [{ url: `${url}/${project.name}`, ref, path: `p${path}` }],
      interval: '5s',
      driftInterval: '20s',
      ...(i % 3 === 0 ? {} : { dataLoss: 'allow', maxDeletes: 1000 }),
      ...(i % 7 === 0 ? { onFailure: 'continue' } : {}),
    })),
  }
  const file = join(directory, 'gitmoor.yaml')
  writeFileSync(file, JSON.stringify(configuration))
  return file
}

/** Whether requests for this repository need the credential. */
export function needsToken(projects: readonly Project[], path: string): boolean {
  const at = projects.findIndex(({ name }) => path.startsWith(`/${name}`))
  return at >= 0 && at % 4 === 0
}
