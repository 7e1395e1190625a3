// What git opens by its path in a repository on this machine is checked before git starts: directories and regular
// files only.
import { Rejected } from '../../../model/errors.js'
import { showText } from '../../../lib/printable.js'
import { inSlices, type Steps } from '../../../lib/steps.js'
import type { OpenDirectory } from './open-directory.js'

/** Of an id and what is around a name in a listing of refs. */
const bytesBesideName = 46

/** `00` to `ff`. */
export const looseFolders: readonly string[] = Array.from({ length: 256 }, (_, first) =>
  first.toString(16).padStart(2, '0'),
)

/** Throws `Rejected` where an entry is a link, or neither a directory nor a regular file. */
export function checkEntries(held: OpenDirectory, signal: AbortSignal): Promise<void> {
  return inSlices(entrySteps(held), signal)
}

/** The same for the folders of loose objects, in which a link would show an object of a repository elsewhere. */
export function checkLooseObjects(objects: OpenDirectory, signal: AbortSignal): Promise<void> {
  return inSlices(looseObjectSteps(objects), signal)
}

/** The same for all that is below `refs`, in which a link would show the id that a file elsewhere begins with. */
export function checkRefs(refs: OpenDirectory, refsBytes: number, signal: AbortSignal): Promise<void> {
  return inSlices(refSteps(refs, refsBytes), signal)
}

function* entrySteps(held: OpenDirectory): Steps<void> {
  for (const _ of held.entries()) yield
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

/** Other names cannot be opened by what Node makes of them, so nothing below them would be checked. */
function readableName({ path }: OpenDirectory, name: string): string {
  if (!name.includes('\uFFFD')) return name
  throw new Rejected(`A directory in ${showText(path)} has a name that is not UTF-8: ${showText(name)}.`, {
    code: 'source/linked-repository',
    hint: 'Pack its refs: git pack-refs --all',
  })
}

function tooManyFiles({ path }: OpenDirectory, most: number): Rejected {
  return new Rejected(
    `The refs that are files in ${showText(path)} take more than ${most} bytes of a list (limits.refsBytes).`,
    {
      code: 'source/refs-too-large',
      hint: 'Pack them: git pack-refs --all. Or raise limits.refsBytes.',
    },
  )
}
