import { basename } from 'node:path'
import { LRUCache } from 'lru-cache'
import { Unavailable } from '../../../model/errors.js'
import { Slices } from '../../../lib/async/steps.js'
import { objectId } from './object-id.js'
import { applyDelta, readDeltaHead } from './apply-delta.js'
import { PackBlocks } from './pack-blocks.js'
import { inflateEntry, readEntry, type ObjectType, type PackEntry } from './pack-entry.js'
import { PackIndex } from './pack-index.js'

export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Buffer
}

/** The mirror is damaged. gitmoor discards it and fetches it again. */
export class DamagedMirror extends Unavailable {
  constructor(oid: string, cause?: unknown) {
    super(`Cannot read object ${oid} from the local copy of the repository.`, {
      code: 'source/mirror-damaged',
      hint: 'gitmoor discards the copy and fetches it again. If this persists, check the disk of the data directory.',
      cause,
    })
  }
}

/** The pack and the entry of an object. */
interface PackPlace {
  readonly pack: string
  readonly entry: PackEntry
}

const CACHE_BYTES = 8 * 1024 * 1024
/** The longest chain of deltas through all packs. A longer one is circular. */
const MOST_STEPS = 10_000

/**
 * Reads objects from packs and verifies their IDs. Indexes, and the blocks and objects that were read last, stay in
 * memory until `clearCache`.
 */
export class PackedObjects {
  readonly packs: readonly string[]
  readonly #indexes = new Map<string, PackIndex>()
  readonly #blocks = new PackBlocks()
  readonly #turns = new Slices()
  readonly #cache = new LRUCache<string, GitObject>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 200,
  })

  /** `packs`: paths that end in .pack, each with an .idx file next to it. */
  constructor(packs: readonly string[]) {
    this.packs = packs
  }

  /** These packs and another one. The indexes that were read are not read again. */
  with(pack: string): PackedObjects {
    const others = this.packs.filter((path) => path !== pack)
    const objects = new PackedObjects([...others, pack])
    for (const [path, index] of this.#indexes) if (path !== pack) objects.#indexes.set(path, index)
    return objects
  }

  /** Throws `DamagedMirror` if the object is missing or does not match its ID. */
  async read(oid: string): Promise<GitObject> {
    const { type, bytes } = await this.#guarded(oid, () => this.#read(oid))
    const id = await objectId(type, bytes, this.#turns)
    if (id.toString('hex') !== oid) throw new DamagedMirror(oid)
    return { type, bytes }
  }

  /** The size of an object, without reading all of it. Throws `DamagedMirror`. */
  async size(oid: string): Promise<number> {
    return this.#guarded(oid, async () => {
      const place = this.#find(oid)
      const { type, size } = place.entry
      return type === 'delta' ? readDeltaHead(await this.#unpack(place))!.result : size
    })
  }

  /** Whether an index lists the object. */
  async has(oid: string): Promise<boolean> {
    return this.#guarded(oid, async () => this.#place(oid) !== undefined)
  }

  /** Drops indexes and cached objects; the next read starts at the disk. */
  clearCache(): void {
    this.#indexes.clear()
    this.#blocks.clear()
    this.#cache.clear()
  }

  /** Converts any failure to `DamagedMirror`. */
  async #guarded<T>(oid: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      throw error instanceof DamagedMirror ? error : new DamagedMirror(oid, error)
    }
  }

  /** Starts from the nearest ancestor that is cached or not a delta. */
  async #read(oid: string): Promise<GitObject> {
    const later: PackPlace[] = []
    let at = this.#find(oid)
    let object = this.#cache.get(placeKey(at))
    while (object === undefined && at.entry.type === 'delta') {
      if (later.push(at) > MOST_STEPS) throw new DamagedMirror(oid)
      at = this.#findBase(at)
      object = this.#cache.get(placeKey(at))
    }
    object ??= this.#keep(at, { type: at.entry.type as ObjectType, bytes: await this.#unpack(at) })
    for (let next = later.pop(); next !== undefined; next = later.pop()) {
      await this.#turns.afterStep()
      const bytes = await applyDelta(object.bytes, await this.#unpack(next), this.#turns)
      if (bytes === undefined) throw new DamagedMirror(oid)
      object = this.#keep(next, { type: object.type, bytes })
    }
    return object
  }

  #keep(place: PackPlace, object: GitObject): GitObject {
    this.#cache.set(placeKey(place), object)
    return object
  }

  async #unpack({ pack, entry }: PackPlace): Promise<Buffer> {
    const inflated = await inflateEntry(this.#blocks.pack(pack), entry)
    if (inflated === undefined) throw new DamagedMirror(basename(pack))
    return inflated.bytes
  }

  #findBase({ pack, entry: { base } }: PackPlace): PackPlace {
    return typeof base === 'number' ? { pack, entry: this.#entryAt(pack, base) } : this.#find(base!)
  }

  #find(oid: string): PackPlace {
    const place = this.#place(oid)
    if (place === undefined) throw new DamagedMirror(oid)
    return { pack: place.pack, entry: this.#entryAt(place.pack, place.offset) }
  }

  #entryAt(pack: string, offset: number): PackEntry {
    const entry = readEntry(this.#blocks.pack(pack), offset)
    if (entry === undefined) throw new DamagedMirror(basename(pack))
    return entry
  }

  #place(oid: string): { readonly pack: string; readonly offset: number } | undefined {
    if (this.#indexes.size < this.packs.length) this.#readIndexes()
    for (const [pack, index] of this.#indexes) {
      const offset = index.offsetOf(oid)
      if (offset !== undefined) return { pack, offset }
    }
    return undefined
  }

  #readIndexes(): void {
    for (const pack of this.packs) if (!this.#indexes.has(pack)) this.#indexes.set(pack, readIndex(pack))
  }
}

function readIndex(pack: string): PackIndex {
  const index = PackIndex.read(pack.replace(/pack$/, 'idx'))
  if (index === undefined) throw new DamagedMirror(basename(pack))
  return index
}

function placeKey({ pack, entry }: PackPlace): string {
  return `${pack}:${entry.offset}`
}
