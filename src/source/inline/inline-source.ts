// A package that is pushed through the API. Its state is the digest of its files.
import { Slices } from '../../lib/async/steps.js'
import { Bug, Rejected, Unavailable } from '../../model/errors.js'
import type { SourceSpec } from '../../model/sources/source-spec.js'
import type { PushedPackages } from '../pushed-packages.js'
import type { OnRead, SourceRevision, Source, SourceFile } from '../source.js'

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

  /** There are no local copies. */
  keepOnly(): Promise<number> {
    return Promise.resolve(0)
  }

  /** Changes are found by polling. */
  watch(): undefined {
    return undefined
  }

  async poll(
    remote: string,
    refs: readonly string[],
    _signal: AbortSignal,
    onRead: OnRead = () => {},
  ): Promise<ReadonlyMap<string, SourceRevision | Error>> {
    onRead({ method: 'inline', bytes: 0 })
    const stack = stackName(remote)
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

  async files(
    remote: string,
    state: string,
    _path: string,
    isIncluded: (path: string) => boolean,
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    const included: SourceFile[] = []
    const slices = new Slices(signal)
    for (const file of await this.#files(remote, state)) {
      await slices.afterStep()
      if (isIncluded(file.path)) included.push(file)
    }
    return included
  }

  async #files(remote: string, state: string): Promise<readonly SourceFile[]> {
    const stack = stackName(remote)
    const files = await this.#packages.files(stack, state)
    if (files !== undefined) return files
    const newest = await this.#packages.newest(stack)
    throw newest === undefined || newest.state === state ? packageLost(stack) : replaced(stack)
  }
}

function stackName(remote: string): string {
  return remote.slice(PREFIX.length)
}

function replaced(stack: string): Unavailable {
  return new Unavailable(`A newer package was pushed to ${stack}.`, {
    code: 'source/changed-meanwhile',
    hint: 'gitmoor applies the newer package automatically.',
  })
}

/** The repair of a corrupt database lost the files, or a check found them changed. */
function packageLost(stack: string): Rejected {
  return new Rejected(`The database no longer has the files of the package that was pushed to ${stack}.`, {
    code: 'source/package-lost',
    hint: `Push the package again: gitmoor stack push ${stack} -f FILE`,
  })
}

function nothingPushed(stack: string): Rejected {
  return new Rejected(`No package that was pushed to ${stack} is stored.`, {
    code: 'source/nothing-pushed',
    hint: `Push its package: gitmoor stack push ${stack} -f FILE`,
  })
}
