import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Graph } from '../../graph/graph.js'
import type { Document, EnvValues } from '../../model/resources/document.js'
import type { Inputs } from '../../model/resources/inputs.js'
import type { Checked, Problem } from '../../model/problem.js'
import type { PackageFile } from '../../package/package.js'
import type { TargetPlatform } from '../../platform/platform.js'

/** The graph of a package, and the problems of its files. */
export interface BuiltGraph {
  readonly documents: readonly Document[]
  readonly unread: readonly Problem[]
  readonly graph: Checked<Graph>
}

/** All that decides a graph. */
export interface GraphSources {
  readonly files: readonly PackageFile[]
  /** See `ReadOptions`. */
  readonly isPushed: boolean
  readonly pathOf: (path: string) => string
  readonly platform: TargetPlatform
  readonly given: Pick<Inputs, 'values' | 'secrets' | 'allowEmpty'>
}

interface KeptGraph {
  readonly values: EnvValues
  readonly platform: TargetPlatform
  readonly built: BuiltGraph
}

/**
 * The approximate memory of a resource, and of a byte of its text: of the parsed value, and of the form that the graph
 * makes of it. Measured with 5,000 dashboards and buckets.
 */
const resourceBytes = 1_000
const textShare = 10

/**
 * Graphs that were built last: a plan finds the same package as the plan before more often than not. All users of one
 * cache must read with the same limits. `maxBytes`: the approximate size of the cache.
 */
export class GraphCache {
  readonly #graphs: LRUCache<string, KeptGraph>

  constructor(maxBytes: number) {
    this.#graphs = new LRUCache({ maxSize: Math.max(1, maxBytes) })
  }

  /** Graphs with given secrets are built each time, so that no secret is kept. */
  async of(sources: GraphSources, build: () => Promise<BuiltGraph>): Promise<BuiltGraph> {
    const { platform, files, given } = sources
    if (given.secrets.size > 0) return build()
    const { values } = given
    const key = digestOf(sources)
    const known = this.#graphs.get(key)
    if (known !== undefined && known.values === values && known.platform === platform) return known.built
    const built = await build()
    const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0)
    const size = 1 + bytes * textShare + built.graph.value.resources.length * resourceBytes
    this.#graphs.set(key, { values, platform, built }, { size })
    return built
  }
}

function digestOf({ files, isPushed, pathOf, given }: GraphSources): string {
  const hash = createHash('sha256').update(`${isPushed} ${given.allowEmpty}`)
  for (const { path, id } of files) hash.update(`\0${path}\0${pathOf(path)}\0${id}`)
  return hash.digest('hex')
}
