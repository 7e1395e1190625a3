// Errors of the machine: no file descriptors left, disk full.
import { Unavailable } from './errors.js'

const messages: Readonly<Record<string, { readonly message: string; readonly hint: string }>> = {
  EMFILE: {
    message: 'gitmoor has too many files and connections open (EMFILE).',
    hint: 'Raise the limit of open files: ulimit -n, or LimitNOFILE= of the systemd unit; then restart the agent.',
  },
  ENFILE: {
    message: 'This machine has too many files and connections open (ENFILE).',
    hint: 'Close programs, or raise fs.file-max of the machine.',
  },
}

/** The error to throw if an error or one of its causes is a lack of file descriptors; undefined: another cause. */
export function tooManyOpen(error: unknown): Unavailable | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const facts = messages[(at as NodeJS.ErrnoException).code ?? '']
    if (facts !== undefined)
      return new Unavailable(facts.message, { code: 'machine/open-files', hint: facts.hint, cause: at })
  }
  return undefined
}

const codes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']

/** True if the error or one of its causes says that a disk is full. */
export function isFullDisk(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (codes.includes((at as NodeJS.ErrnoException).code ?? '')) return true
  return false
}

/** What to do before a start if the directory's disk is full; undefined: the error has another cause. */
export function freeSpaceHint(error: unknown, directory: string): string | undefined {
  return isFullDisk(error)
    ? `The disk is full. Free space on the disk of ${directory}, then start the agent again.`
    : undefined
}
