import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { Semaphore } from '../../lib/async/semaphore.js'
import { evaluateJsonnet } from './evaluate-jsonnet.js'
import { evaluatorPackage } from './find-evaluator.js'
import { linkJsonnet, type LinkedJsonnet } from './link-jsonnet.js'
import { sandboxLimits, type Evaluated, type Sandbox, type SandboxLimits } from '../sandbox.js'

/** Concurrent evaluations. */
const mostEvaluations = 2
const keptBytes = 32 * 1024 * 1024

/** A sandbox that caches recent results. */
export class JsonnetSandbox implements Sandbox {
  readonly #limits: SandboxLimits
  readonly #evaluator: string
  readonly #places = new Semaphore(mostEvaluations)
  readonly #known = new LRUCache<string, Evaluated>({ maxSize: keptBytes })

  /** `evaluator`: the package of the evaluator, or the path of its entry. */
  constructor(limits: SandboxLimits = sandboxLimits, evaluator: string = evaluatorPackage.name) {
    this.#limits = limits
    this.#evaluator = evaluator
  }

  async jsonnet(files: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Evaluated> {
    signal.throwIfAborted()
    const program = linkJsonnet(files)
    const { problems, imported, entries } = program
    if (problems.length > 0 || entries.length === 0) return { texts: new Map(), imported, problems }
    const key = keyOf(program)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = await this.#places.run(
      () => evaluateJsonnet(program, { ...this.#limits, evaluator: this.#evaluator }, signal),
      signal,
    )
    const evaluated = { ...found, imported }
    if (found.problems.length === 0) this.#known.set(key, evaluated, { size: sizeOf(evaluated) })
    return evaluated
  }
}

function keyOf({ entries, bindings }: LinkedJsonnet): string {
  const hash = createHash('sha256').update(JSON.stringify(entries))
  for (const { file, code } of bindings) hash.update(`${JSON.stringify(file)}${code.length} ${code}`)
  return hash.digest('hex')
}

function sizeOf({ texts }: Evaluated): number {
  return [...texts.values()].reduce((sum, text) => sum + text.length, 1_000)
}
