import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { indexPack, readObject } from 'isomorphic-git'
import { Unavailable } from '../model/errors.js'
import { GIT_DIRECTORY, PACK_DIRECTORY, packFolder } from './pack-folder.js'

export interface GitObject {
  readonly type: 'commit' | 'tree' | 'blob' | 'tag'
  readonly bytes: Buffer
}

/** What is kept here is not what was stored: it is thrown away, and had anew. */
export class DamagedMirror extends Unavailable {
  constructor(oid: string, cause?: unknown) {
    super(`Object ${oid} cannot be read from the copy of the repository that gitmoor keeps.`, {
      code: 'source/mirror-damaged',
      hint: 'gitmoor throws the copy away and fetches it again. If it stays, check the disk that holds the data directory.',
      cause,
    })
  }
}

/** Reads objects out of packs. What it gives has been held against its id. Whole packs stay in memory until `drop`. */
export class Objects {
  readonly packs: readonly string[]
  readonly #folder
  #cache: object = {}
  #ids: Promise<ReadonlySet<string>> | undefined

  /** `packs`: paths that end in .pack, each with its .idx beside it. */
  constructor(packs: readonly string[]) {
    this.packs = packs
    this.#folder = packFolder(packs)
  }

  /** Throws `DamagedMirror` for what is not there or is not what its id says. */
  async read(oid: string): Promise<GitObject> {
    const { type, bytes } = await this.#readUnchecked(oid)
    const sum = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
    if (sum !== oid) throw new DamagedMirror(oid)
    return { type, bytes }
  }

  async #readUnchecked(oid: string): Promise<GitObject> {
    try {
      const found = await readObject({ fs: this.#folder, gitdir: GIT_DIRECTORY, oid, format: 'content', cache: this.#cache })
      return { type: found.type as GitObject['type'], bytes: Buffer.from(found.object as Uint8Array) }
    } catch (error) {
      throw new DamagedMirror(oid, error)
    }
  }

  /** Whether an object is in one of the packs, by their indexes. */
  async has(oid: string): Promise<boolean> {
    this.#ids ??= readIds(this.packs)
    return (await this.#ids).has(oid)
  }

  /** Forgets what it keeps in memory; the next reading begins with the disk. */
  drop(): void {
    this.#cache = {}
    this.#ids = undefined
  }

  /** Writes the index of a pack that may lean on these. Gives the number of objects in it that could be read. */
  async index(pack: string): Promise<number> {
    const fs = packFolder(this.packs, pack)
    const filepath = `${PACK_DIRECTORY.slice(GIT_DIRECTORY.length + 1)}/${basename(pack)}`
    const { oids } = await indexPack({ fs, dir: GIT_DIRECTORY, gitdir: GIT_DIRECTORY, filepath, cache: this.#cache })
    return oids.length
  }
}

async function readIds(packs: readonly string[]): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (const pack of packs) {
    const index = await readFile(pack.replace(/pack$/, 'idx')).catch((error: unknown) => {
      throw new DamagedMirror(basename(pack), error)
    })
    for (const id of idsOf(index, pack)) ids.add(id)
  }
  return ids
}

/** Version 2 of the index (gitformat-pack): 8 bytes, 256 counts of 4, then the ids in order. */
function idsOf(index: Buffer, pack: string): readonly string[] {
  const start = 8 + 256 * 4
  const count = index.length > start ? index.readUInt32BE(start - 4) : 0
  if (index.toString('hex', 0, 8) !== 'ff744f6300000002' || index.length < start + count * 20) throw new DamagedMirror(basename(pack))
  return Array.from({ length: count }, (_, at) => index.toString('hex', start + at * 20, start + at * 20 + 20))
}
