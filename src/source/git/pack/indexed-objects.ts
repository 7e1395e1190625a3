import { LRUCache } from 'lru-cache'
import { applyDelta, readDeltaHead } from './apply-delta.js'
import { objectId } from './object-id.js'
import { DamagedMirror, type GitObject, type PackedObjects } from './packed-objects.js'
import { packLimits, refuseLargeAuthored, deltasTooLarge } from './pack-limits.js'
import type { PackBytes } from './pack-bytes.js'
import { inflateEntry, readEntry, type PackEntry } from './pack-entry.js'
import { damaged } from '../protocol/packets.js'
import type { Slices } from '../../../lib/async/steps.js'

const CACHE_BYTES = 16 * 1024 * 1024
const NONE = -1

/** The objects of a pack during indexing, in pack order. A delta waits until its base is resolved. */
export class IndexedObjects {
  readonly count: number
  readonly ids: Buffer
  readonly offsets: Uint32Array
  readonly #pack: PackBytes
  readonly #remote: string
  readonly #bases: PackedObjects
  readonly #turns: Slices
  readonly #settled: Uint8Array
  readonly #depths: Uint16Array
  /** For a delta whose base is in this pack: the number of the base. */
  readonly #base: Int32Array
  /** For a delta whose base is in another pack: the ID of the base. */
  readonly #elsewhere = new Map<number, string>()
  /** Waiting deltas, by the number or the ID of their base. */
  readonly #waiting = new Map<number | string, number[]>()
  readonly #cache = new LRUCache<number, GitObject>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 100,
  })
  #added = 0

  constructor(
    pack: PackBytes,
    count: number,
    about: { readonly remote: string; readonly bases: PackedObjects; readonly turns: Slices },
  ) {
    this.count = count
    this.ids = Buffer.alloc(count * 20)
    this.offsets = new Uint32Array(count)
    this.#pack = pack
    this.#remote = about.remote
    this.#bases = about.bases
    this.#turns = about.turns
    this.#settled = new Uint8Array(count)
    this.#depths = new Uint16Array(count)
    this.#base = new Int32Array(count).fill(NONE)
  }

  async add(offset: number, object: GitObject): Promise<void> {
    const number = this.#next(offset)
    await this.#settle(number, object)
  }

  /** Adds an object that was hashed while it was unpacked. */
  addHashed(offset: number, id: Buffer): void {
    const number = this.#next(offset)
    id.copy(this.ids, number * 20)
    this.#settled[number] = 1
  }

  async addDelta({ offset, base }: PackEntry, delta: Buffer): Promise<void> {
    const number = this.#next(offset)
    if (typeof base !== 'number') return this.#wait(number, base!)
    const on = this.#numberAt(base)
    if (this.#settled[on] === 0) return this.#wait(number, on)
    const known = this.#cache.get(on)
    if (known === undefined) this.#wait(number, on)
    else await this.#apply(number, { on, base: known, delta })
  }

  /** Resolves the waiting deltas. Throws `DamagedMirror` if a base is missing. */
  async resolve(): Promise<void> {
    for (let number = 0; number < this.count && this.#waiting.size > 0; number++) {
      if (this.#settled[number] === 1) await this.#settleAfter(number)
      await this.#turns.afterStep()
    }
    for (const [base] of this.#waiting) {
      if (typeof base === 'string' && (await this.#bases.has(base))) await this.#settleOnElsewhere(base)
    }
    const [missing] = this.#waiting.keys()
    if (missing !== undefined) throw new DamagedMirror(String(missing))
  }

  #next(offset: number): number {
    this.offsets[this.#added] = offset
    return this.#added++
  }

  #wait(number: number, on: number | string): void {
    const others = this.#waiting.get(on)
    if (others === undefined) this.#waiting.set(on, [number])
    else others.push(number)
  }

  #take(on: number | string): readonly number[] {
    const waiting = this.#waiting.get(on) ?? []
    this.#waiting.delete(on)
    return waiting
  }

  /** Resolves the deltas of this object, then the deltas of those, and so on. */
  async #settleAfter(first: number): Promise<void> {
    const open = [first]
    for (let on = open.pop(); on !== undefined; on = open.pop()) {
      const waiting = [...this.#take(on), ...this.#take(this.ids.toString('hex', on * 20, on * 20 + 20))]
      for (const number of waiting) {
        await this.#apply(number, { on, base: await this.#read(on), delta: await this.#inflate(number) })
        open.push(number)
        await this.#turns.afterStep()
      }
    }
  }

  async #settleOnElsewhere(id: string): Promise<void> {
    const base = await this.#bases.read(id)
    for (const number of this.#take(id)) {
      this.#elsewhere.set(number, id)
      await this.#apply(number, { on: NONE, base, delta: await this.#inflate(number) })
      await this.#settleAfter(number)
    }
  }

  async #apply(
    number: number,
    { on, base, delta }: { readonly on: number; readonly base: GitObject; readonly delta: Buffer },
  ): Promise<void> {
    const depth = on === NONE ? 1 : this.#depths[on]! + 1
    if (depth > packLimits.deltaDepth)
      throw deltasTooLarge(this.#remote, `contains a chain of more than ${packLimits.deltaDepth} deltas`)
    refuseLargeAuthored(this.#remote, base.type, readDeltaHead(delta)?.result ?? 0)
    const bytes = await applyDelta(base.bytes, delta, this.#turns)
    if (bytes === undefined) throw damaged(this.#remote)
    this.#base[number] = on
    this.#depths[number] = depth
    await this.#settle(number, { type: base.type, bytes })
  }

  async #settle(number: number, object: GitObject): Promise<void> {
    const id = await objectId(object.type, object.bytes, this.#turns)
    id.copy(this.ids, number * 20)
    this.#settled[number] = 1
    this.#cache.set(number, object)
  }

  /** Reads a resolved object, starting from its nearest cached ancestor. */
  async #read(number: number): Promise<GitObject> {
    const later: number[] = []
    let at = number
    let object = this.#cache.get(at)
    while (object === undefined && this.#base[at] !== NONE) {
      later.push(at)
      at = this.#base[at]!
      object = this.#cache.get(at)
    }
    object ??= await this.#readFirst(at)
    for (let next = later.pop(); next !== undefined; next = later.pop()) {
      await this.#turns.afterStep()
      object = { type: object.type, bytes: (await applyDelta(object.bytes, await this.#inflate(next), this.#turns))! }
      this.#cache.set(next, object)
    }
    return object
  }

  async #readFirst(number: number): Promise<GitObject> {
    const id = this.#elsewhere.get(number)
    if (id === undefined)
      return { type: this.#entry(number).type as GitObject['type'], bytes: await this.#inflate(number) }
    const { type, bytes } = await this.#bases.read(id)
    return { type, bytes: (await applyDelta(bytes, await this.#inflate(number), this.#turns))! }
  }

  async #inflate(number: number): Promise<Buffer> {
    const entry = this.#entry(number)
    if (entry.size > packLimits.deltaBytes) throw damaged(this.#remote)
    return (await inflateEntry(this.#pack, entry))!.bytes
  }

  #entry(number: number): PackEntry {
    return readEntry(this.#pack, this.offsets[number]!)!
  }

  /** The number of the entry at an offset. */
  #numberAt(offset: number): number {
    let low = 0
    let high = this.#added - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.offsets[middle]! < offset) low = middle + 1
      else high = middle
    }
    if (this.offsets[low] !== offset) throw damaged(this.#remote)
    return low
  }
}
