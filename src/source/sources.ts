// All kinds of sources as one source: each remote belongs to the adapter of its kind.
import type { SourceSpec } from '../model/sources/source-spec.js'
import type { OnRead, SourceRevision, Source, SourceFile, UsedRemotes, Watching } from './source.js'
import type { RefTips } from './ref-tips.js'

/** By kind of source. Only git has refs, and so ref tips. */
export type SourceAdapters = Readonly<Record<SourceSpec['kind'], Source>> & { readonly git: { readonly tips: RefTips } }

const prefixed = ['url', 'directory', 'inline'] as const

export class Sources implements Source {
  readonly #adapters: SourceAdapters

  constructor(adapters: SourceAdapters) {
    this.#adapters = adapters
  }

  get tips(): RefTips {
    return this.#adapters.git.tips
  }

  remoteOf(source: SourceSpec, stack: string): string {
    return this.#adapters[source.kind].remoteOf(source, stack)
  }

  poll(
    remote: string,
    refs: readonly string[],
    signal: AbortSignal,
    onRead?: OnRead,
  ): Promise<ReadonlyMap<string, SourceRevision | Error>> {
    return this.#at(remote).poll(remote, refs, signal, onRead)
  }

  fetch(remote: string, state: string, signal: AbortSignal): Promise<void> {
    return this.#at(remote).fetch(remote, state, signal)
  }

  content(remote: string, state: string, path: string, signal?: AbortSignal): Promise<string | undefined> {
    return this.#at(remote).content(remote, state, path, signal)
  }

  files(
    remote: string,
    state: string,
    path: string,
    isIncluded: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    return this.#at(remote).files(remote, state, path, isIncluded, signal)
  }

  async keepOnly({ remotes, undecided }: UsedRemotes): Promise<number> {
    const removed = await Promise.all(
      Object.values(this.#adapters).map((adapter) => {
        const isOwn = (remote: string): boolean => this.#at(remote) === adapter
        return adapter.keepOnly({ remotes: remotes.filter(isOwn), undecided: undecided.filter(isOwn) })
      }),
    )
    return removed.reduce((sum, one) => sum + one, 0)
  }

  watch(remote: string, watching: Watching): Disposable | undefined {
    return this.#at(remote).watch(remote, watching)
  }

  /** Remotes of git have no prefix. */
  #at(remote: string): Source {
    return this.#adapters[prefixed.find((kind) => remote.startsWith(`${kind}:`)) ?? 'git']
  }
}
