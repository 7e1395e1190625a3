// What git opens by its path in a repository on this machine is checked before git starts: directories and regular files only.
import { Rejected } from '../../../model/errors.js'
import { showText } from '../../../model/show-text.js'
import { unlessMissing, type HeldDirectory } from './held-directory.js'

/** Of an id and what is around a name in a listing of refs. */
const bytesBesideName = 46

/** Throws `Rejected` where an entry is a link, or neither a directory nor a regular file. */
export async function checkEntries(held: HeldDirectory): Promise<void> {
  for await (const _ of held.entries());
}

/** The same for all that is below `refs`, in which a link would show the id that a file elsewhere begins with. */
export async function checkRefs(refs: HeldDirectory, refsBytes: number): Promise<void> {
  const folders = ['.']
  let bytes = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await using held = await refs.directory(folder).catch(unlessMissing) // git removes empty ones
    if (held === undefined) continue
    for await (const entry of held.entries()) {
      bytes += folder.length + entry.name.length + bytesBesideName
      if (bytes > refsBytes) throw tooManyFiles(refs, refsBytes)
      if (entry.isDirectory()) folders.push(`${folder}/${readableName(held, entry.name)}`)
    }
  }
}

/** Other names cannot be opened by what Node makes of them, so nothing below them would be checked. */
function readableName({ path }: HeldDirectory, name: string): string {
  if (!name.includes('\uFFFD')) return name
  throw new Rejected(`A directory in ${showText(path)} has a name that is not UTF-8: ${showText(name)}.`, {
    code: 'source/linked-repository',
    hint: 'Pack its refs: git pack-refs --all',
  })
}

function tooManyFiles({ path }: HeldDirectory, most: number): Rejected {
  return new Rejected(`The refs that are files in ${showText(path)} take more than ${most} bytes of a list (limits.refsBytes).`, {
    code: 'source/refs-too-large',
    hint: 'Pack them: git pack-refs --all. Or raise limits.refsBytes.',
  })
}
