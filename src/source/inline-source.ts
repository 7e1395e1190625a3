// A package that is pushed over the API as a source: its state is the digest of its files.
import { Bug, Rejected, Unavailable } from '../model/errors.js'
import type { SourceSpec } from '../model/source-spec.js'
import type { PushedPackages } from './pushed-packages.js'
import type { OnRead, Resolved, Source, SourceFile } from './source.js'

const PREFIX = 'inline:'

export class InlineSource implements Source {
  readonly #packages: PushedPackages

  constructor(packages: PushedPackages) {
    this.#packages = packages
  }

  remoteOf(source: SourceSpec, stack: string): string {
    if (source.kind !== 'inline') throw new Bug(`A source of kind ${source.kind} is not inline.`)
    return PREFIX + stack
  }

  /** Nothing is kept here. */
  keepOnly(): Promise<number> {
    return Promise.resolve(0)
  }

  /** Nothing tells of changes here: looks find them. */
  watch(): undefined {
    return undefined
  }

  async look(
    remote: string,
    refs: readonly string[],
    _signal: AbortSignal,
    onRead: OnRead = () => {},
  ): Promise<ReadonlyMap<string, Resolved | Error>> {
    onRead({ method: 'inline', bytes: 0 })
    const stack = stackOf(remote)
    const pushed = await this.#packages.newest(stack)
    return new Map(refs.map((ref) => [ref, pushed === undefined ? nothingPushed(stack) : { name: '', ...pushed }]))
  }

  async fetch(remote: string, state: string): Promise<void> {
    await this.#files(remote, state)
  }

  async content(remote: string, state: string, path: string): Promise<string | undefined> {
    await this.#files(remote, state)
    return path === '' ? state : undefined
  }

  async files(remote: string, state: string, _path: string, wanted: (path: string) => boolean): Promise<readonly SourceFile[]> {
    return (await this.#files(remote, state)).filter(({ path }) => wanted(path))
  }

  async #files(remote: string, state: string): Promise<readonly SourceFile[]> {
    const files = await this.#packages.files(stackOf(remote), state)
    if (files !== undefined) return files
    throw new Unavailable(`What was pushed to ${stackOf(remote)} is another package by now.`, {
      code: 'source/changed-meanwhile',
      hint: 'The next look sees the newer one by itself.',
    })
  }
}

function stackOf(remote: string): string {
  return remote.slice(PREFIX.length)
}

function nothingPushed(stack: string): Rejected {
  return new Rejected(`Nothing was pushed to ${stack} yet.`, {
    code: 'source/nothing-pushed',
    hint: `Push its package: gitmoor stack push ${stack} -f FILE`,
  })
}
