// Reads packages without blocking the event loop: small files in slices, large ones in a thread.
import type { Document } from '../../model/resources/document.js'
import type { Checked } from '../../model/problem.js'
import { inSlices, type Steps } from '../../lib/async/steps.js'
import { LargeFile, type LargeAnswer, type LargeQuestion } from '../../package/large-file.js'
import { tooMuchMemory } from '../../package/parse-error.js'
import {
  packageSteps,
  ParsedCache,
  type PackageFile,
  type PackageSteps,
  type ReadOptions,
} from '../../package/package.js'
import { GraphCache } from './graph-cache.js'
import { WorkerThread } from '../../sandbox/worker-thread.js'

/**
 * Of recently parsed files, and of recently built graphs with what was parsed for them: enough for a package of 20,000
 * buckets.
 */
const cacheBytes = { parsed: 24 * 1024 * 1024, graphs: 56 * 1024 * 1024 }

type Answered = LargeFile['parsed']
type Large = ConstructorParameters<typeof LargeFile>[0]

/** Also keeps the graphs of packages that were read. */
export class PackageReader implements Disposable {
  readonly graphs: GraphCache
  readonly #cache: ParsedCache
  readonly #thread = new WorkerThread<LargeQuestion, LargeAnswer>(new URL('./parse-thread.js', import.meta.url))

  constructor({ parsed, graphs } = cacheBytes) {
    this.#cache = new ParsedCache(parsed)
    this.graphs = new GraphCache(graphs)
  }

  /** The documents of a package (`readPackage`). Errors: the signal's reason. */
  async read(
    files: readonly PackageFile[],
    options: Omit<ReadOptions, 'cache'>,
    signal: AbortSignal,
  ): Promise<Checked<readonly Document[]>> {
    const steps = packageSteps(files, { ...options, cache: this.#cache })
    let answered: Answered | undefined
    for (;;) {
      const step = await inSlices(untilLarge(steps, answered), signal)
      if (step.done === true) return step.value
      answered = await this.#parse(step.value!, signal)
    }
  }

  [Symbol.dispose](): void {
    this.#thread[Symbol.dispose]()
  }

  async #parse(text: Large, signal: AbortSignal): Promise<Answered> {
    const file = new LargeFile(text)
    try {
      await this.#thread.exclusively(async (ask) => {
        for (let question = file.question; question !== undefined; question = file.question)
          await inSlices(file.take(await ask(question)), signal)
      }, signal)
      return file.parsed
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuchMemory()
      throw error
    }
  }
}

/** The steps up to the next large file, or to the end. `answered`: the result of the last one. */
function* untilLarge<T>(
  steps: PackageSteps<T>,
  answered: Answered | undefined,
): Steps<IteratorResult<Large | undefined, T>> {
  for (let step = steps.next(answered); ; step = steps.next(undefined)) {
    if (step.done === true || step.value !== undefined) return step
    yield
  }
}
