// What the authors of the packages know: repositories, what each commit of them declares, which stack follows what.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dice } from '../random/dice.js'
import { edited, firstPackage, packageText, type Content, type Item } from '../random/package-model.js'
import { makeRepository, type Repository } from '../git-server.js'
import type { SshFiles } from '../ssh-server.js'

/** `semver:^1` is the highest of the tags `v1.0.0`, `v1.1.0`, … */
export const refs = ['main', 'stable', 'beta', 'semver:^1'] as const
export type Ref = (typeof refs)[number]
export type FloatingTag = 'stable' | 'beta'

/** What a push did: full name of the ref, and what it leads to; null: it is gone. */
export interface Pushed {
  readonly ref: string
  readonly commit: string | null
}

const pathsInRepository = 10

export interface Commit {
  readonly id: string
  /** By path. */
  readonly contents: readonly Content[]
  readonly parent: Commit | null
}

/** Whether a commit has another one among its ancestors, or is it. */
export function isForward(from: Commit, to: Commit): boolean {
  for (let at: Commit | null = to; at !== null; at = at.parent) if (at === from) return true
  return false
}

/** A repository with ten packages, and where its refs are. */
export class Project {
  readonly name: string
  readonly directory: string
  /** Its history is never rewritten, and its `beta` only moves forward. */
  readonly isLinear: boolean
  readonly commits: Commit[] = []
  readonly at: Record<Ref, Commit>
  /** Refs taken away for a while. */
  readonly gone = new Set<Ref>()
  /** Where `v1.0.0`, `v1.1.0`, … are, of those that are there. */
  readonly #versions: { readonly tag: string; readonly commit: Commit }[] = []
  #minor = 0
  readonly #repository: Repository
  /** What authors meant last, where what they committed is not in order. */
  readonly #meant: (readonly Item[])[]

  private constructor(repository: Repository, first: Commit, isLinear: boolean) {
    this.#repository = repository
    this.name = repository.name
    this.directory = repository.directory
    this.isLinear = isLinear
    this.commits.push(first)
    this.at = { main: first, stable: first, beta: first, 'semver:^1': first }
    this.#meant = first.contents.map((content) => content as readonly Item[])
  }

  static async make(
    root: string,
    { name, isLinear }: { readonly name: string; readonly isLinear: boolean },
    dice: Dice,
  ): Promise<Project> {
    const repository = await makeRepository(root, name)
    const contents = Array.from({ length: pathsInRepository }, () => firstPackage(dice))
    const id = await repository.commit({ files: filesOf(contents, dice), tags: ['stable', 'beta'] })
    const project = new Project(repository, { id, contents, parent: null }, isLinear)
    await project.release()
    return project
  }

  /** A commit that changes one to three packages; one in twenty of them is not in order. */
  async push(dice: Dice): Promise<Pushed> {
    const contents = [...this.at.main.contents]
    for (let i = dice.below(3); i >= 0; i--) {
      const path = dice.below(pathsInRepository)
      this.#meant[path] = edited(this.#meant[path]!, dice)
      contents[path] = dice.chance(95) ? this.#meant[path] : dice.pick(['invalid', 'empty'] as const)
    }
    return this.#commit(contents, dice)
  }

  /**
   * Everything in order, and everything under another name than before, so that nothing can block
   * anything.
   */
  async pushLast(dice: Dice): Promise<void> {
    const contents = this.#meant.map((items) => items.map((item) => ({ ...item, name: `${item.name} at last` })))
    await this.#commit(contents, dice)
    for (const ref of ['stable', 'beta'] as const) await this.move(ref, this.at.main, dice)
    await this.release()
  }

  /** A version higher than all others, at the tip of main. */
  async release(): Promise<Pushed> {
    const tag = `v1.${this.#minor++}.0`
    await this.#repository.tag(tag, this.at.main.id)
    this.#versions.push({ tag, commit: this.at.main })
    this.at['semver:^1'] = this.at.main
    return { ref: `refs/tags/${tag}`, commit: this.at.main.id }
  }

  /** Takes the highest version back, unless it is the only one. */
  async withdraw(): Promise<Pushed | undefined> {
    if (this.#versions.length < 2) return undefined
    const ref = `refs/tags/${this.#versions.pop()!.tag}`
    await this.#repository.remove(ref)
    this.at['semver:^1'] = this.#versions.at(-1)!.commit
    return { ref, commit: null }
  }

  /** Moves a tag to any commit of the newest ten, forwards or back. */
  moveTag(dice: Dice): Promise<Pushed> {
    return this.move(dice.pick(['stable', 'beta']), dice.pick(this.commits.slice(-10)), dice)
  }

  async move(tag: FloatingTag, commit: Commit, dice: Dice): Promise<Pushed> {
    await this.#repository.tag(tag, commit.id, { annotated: dice.chance(50) })
    this.gone.delete(tag)
    this.at[tag] = commit
    return { ref: `refs/tags/${tag}`, commit: commit.id }
  }

  /** Rewrites history: main moves back to its former tip. */
  async forcePush(dice: Dice): Promise<Pushed | undefined> {
    if (this.isLinear) return undefined
    const commit = dice.pick(this.commits.slice(-5))
    await this.#repository.branch('main', commit.id)
    this.at.main = commit
    commit.contents.forEach((content, path) => {
      if (typeof content !== 'string') this.#meant[path] = content
    })
    return { ref: 'refs/heads/main', commit: commit.id }
  }

  async takeAway(tag: FloatingTag): Promise<Pushed | undefined> {
    if (this.gone.has(tag)) return undefined
    await this.#repository.remove(`refs/tags/${tag}`)
    this.gone.add(tag)
    return { ref: `refs/tags/${tag}`, commit: null }
  }

  async bringBack(dice: Dice): Promise<void> {
    for (const tag of this.gone) await this.move(tag as FloatingTag, this.at[tag], dice)
  }

  async #commit(contents: readonly Content[], dice: Dice): Promise<Pushed> {
    const before = this.at.main.contents
    const changed = contents.flatMap((content, path) => (content === before[path] ? [] : [path]))
    const empty = changed.filter((path) => contents[path] === 'empty')
    const id = await this.#repository.commit({
      files: filesOf(contents, dice, changed),
      removed: empty.filter((path) => before[path] !== 'empty').map((path) => `p${path}/package.yml`),
    })
    const commit = { id, contents, parent: this.at.main }
    this.commits.push(commit)
    this.at.main = commit
    return { ref: 'refs/heads/main', commit: id }
  }
}

function filesOf(
  contents: readonly Content[],
  dice: Dice,
  paths: readonly number[] = contents.map((_, path) => path),
): Record<string, string> {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const text = packageText(contents[path]!, dice, 'influxdata.com/v2alpha1')
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

/** As the agent calls it. */
export function channelOf(remote: string, ref: Ref): string {
  return `${remote}#${ref}`
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
export const canaries = {
  fromFile: 'canary-F7qkzLw0Yt3x',
  fromEnvironment: 'canary-E2vnpRs8Uc6d',
  ofWebhook: 'canary-W4hqmGx1Ba5j',
} as const

/** The agent's configuration. A third of the stacks keep the guards as they are, so that plans wait for a person. */
export function writeConfiguration(
  directory: string,
  {
    url,
    remoteOf,
    ssh,
    followers,
    projects,
  }: {
    readonly url: string
    /** Address of a repository. */
    readonly remoteOf: (project: Project) => string
    readonly ssh: (SshFiles & { readonly match: string }) | undefined
    readonly followers: readonly Follower[]
    readonly projects: readonly Project[]
  },
): string {
  writeFileSync(join(directory, 'token.txt'), canaries.fromFile, { mode: 0o600 })
  writeFileSync(join(directory, 'hook.txt'), canaries.ofWebhook, { mode: 0o600 })
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
    credentials: { ...Object.fromEntries(credentials), ...(ssh === undefined ? {} : { ssh }) },
    channels: [
      ...projects
        .filter(({ isLinear }) => isLinear)
        .map((project) => ({ remote: remoteOf(project), ref: 'beta', moves: 'forward-only' })),
      { ref: 'beta', minAge: '10s', movesPerHour: 40 },
      ...projects
        .filter(({ isLinear }) => isLinear)
        .map((project) => ({ remote: remoteOf(project), ref: 'stable', moves: 'approve-back' })),
    ],
    webhooks: {
      hook: {
        provider: 'generic',
        secret: '${file:hook.txt}',
        generic: { delivery: 'X-Delivery', repository: '/repository', ref: '/ref', commit: '/commit' },
      },
    },
    targets: Object.fromEntries(
      followers.map(({ target }) => [target, { platform: 'embedded', organisation: target }]),
    ),
    stacks: followers.map(({ name, target, project, ref, path }, i) => ({
      name,
      target,
      sources: [{ url: remoteOf(project), ref, path: `p${path}` }],
      ...(path === 9 ? { dependsOn: [name.replace(/9$/, '8')] } : {}),
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
