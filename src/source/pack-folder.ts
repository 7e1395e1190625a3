import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { PromiseFsClient } from 'isomorphic-git'

/** Where the git directory seems to be to isomorphic-git. */
export const GIT_DIRECTORY = '/mirror'
export const PACK_DIRECTORY = `${GIT_DIRECTORY}/objects/pack`

/**
 * A file system for isomorphic-git that holds these packs and nothing else. It asks, for every object, whether a loose one is there and what
 * packs there are: here that costs no call to the system. `packs`: paths that end in .pack, each with its .idx beside it.
 * `incoming`: one that has no index yet; the index may be written.
 */
export function packFolder(packs: readonly string[], incoming?: string): PromiseFsClient {
  const indexes = packs.map((pack) => pack.replace(/pack$/, 'idx'))
  const written = incoming === undefined ? [] : [incoming, incoming.replace(/pack$/, 'idx')]
  const paths = new Map([...packs, ...indexes, ...written].map((path) => [basename(path), path]))
  const listing = [...packs, ...indexes].map((path) => basename(path))
  const find = (path: string): string => {
    const found = path.startsWith(`${PACK_DIRECTORY}/`) ? paths.get(basename(path)) : undefined
    if (found === undefined) throw missing
    return found
  }
  const refuse = async (): Promise<never> => {
    throw missing
  }
  return {
    promises: {
      readFile: async (path = '') => readFile(find(path)),
      writeFile: async (path: string, bytes: Uint8Array) => writeFile(find(path), bytes, { mode: 0o600 }),
      readdir: async (path: string) => (path === PACK_DIRECTORY ? listing : refuse()),
      stat: async (path: string) => (path === GIT_DIRECTORY ? { isFile: () => false, isDirectory: () => true } : refuse()),
      lstat: refuse,
      mkdir: refuse,
      rmdir: refuse,
      unlink: refuse,
      readlink: refuse,
      symlink: refuse,
    },
  }
}

/** One for all: it is thrown for every object, and a stack trace each time costs more than the look. */
const missing = Object.assign(new Error('There is no such file in a mirror.'), { code: 'ENOENT' })
