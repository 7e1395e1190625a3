import { repositoryIdentity } from '../../source/repository-identity.js'

/** The addresses under which each repository is, or was, followed. */
export class Spellings {
  readonly #remotes = new Map<string, Set<string>>()

  note(remote: string): void {
    const identity = repositoryIdentity(remote)
    this.#remotes.set(identity, (this.#remotes.get(identity) ?? new Set()).add(remote))
  }

  /** The other addresses of a repository. */
  of(remote: string): readonly string[] {
    return [...(this.#remotes.get(repositoryIdentity(remote)) ?? [])].filter((other) => other !== remote)
  }
}
