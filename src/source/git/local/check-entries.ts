// Checks the entries of a local repository before git opens them by path: only directories and regular files are
// allowed.
import { Rejected } from '../../../model/errors.js'
import { showText } from '../../../lib/text/printable.js'
import { inSlices, type Steps } from '../../../lib/async/steps.js'
import type { OpenDirectory } from './open-directory.js'

/** Bytes of an ID and separators in a ref listing. */
const bytesBesideName = 46

/** `00` to `ff`. */
export const looseFolders: readonly string[] = Array.from({ length: 256 }, (_, first) =>
  first.toString(16).padStart(2, '0'),
)

/** Throws `Rejected` if an entry is a link, or neither a directory nor a regular file. */
export function checkEntries(directory: OpenDirectory, signal: AbortSignal): Promise<void> {
  return inSlices(entrySteps(directory), signal)
}

/** The same for the folders of loose objects: a link could expose an object of another repository. */
export function checkLooseObjects(objects: OpenDirectory, signal: AbortSignal): Promise<void> {
  return inSlices(looseObjectSteps(objects), signal)
}

/** The same for everything below `refs`: a link could expose the start of another file as an ID. */
export function checkRefs(refs: OpenDirectory, refsBytes: number, signal: AbortSignal): Promise<void> {
  return inSlices(refSteps(refs, refsBytes), signal)
}

function* entrySteps(directory: OpenDirectory): Steps<void> {
  for (const _ of directory.entries()) yield
}

function* looseObjectSteps(objects: OpenDirectory): Steps<void> {
  for (const folder of looseFolders) for (const _ of objects.entries(folder)) yield
}

function* refSteps(refs: OpenDirectory, refsBytes: number): Steps<void> {
  const folders = ['.']
  let bytes = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of refs.entries(folder)) {
      yield
      bytes += folder.length + entry.name.length + bytesBesideName
      if (bytes > refsBytes) throw tooManyFiles(refs, refsBytes)
      if (entry.isDirectory()) folders.push(`${folder}/${readableName(refs, entry.name)}`)
    }
  }
}

/** Node cannot open other names, so nothing below them would be checked. */
function readableName({ path }: OpenDirectory, name: string): string {
  if (!name.includes('\uFFFD')) return name
  throw new Rejected(`A directory in ${showText(path)} has a name that is not UTF-8: ${showText(name)}.`, {
    code: 'source/linked-repository',
    hint: 'Pack its refs: git pack-refs --all',
  })
}

function tooManyFiles({ path }: OpenDirectory, most: number): Rejected {
  return new Rejected(
    `The loose refs in ${showText(path)} take more than ${most} bytes in a listing (limits.refsBytes).`,
    {
      code: 'source/refs-too-large',
      hint: 'Pack them: git pack-refs --all. Or raise limits.refsBytes.',
    },
  )
}
