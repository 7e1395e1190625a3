const codes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']

/** An error, or one that caused it, says that a disk takes nothing more. */
export function isFullDisk(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (codes.includes((at as NodeJS.ErrnoException).code ?? '')) return true
  return false
}

/** What to do before a start where the disk of that directory is full; undefined: the error says something else. */
export function freeSpaceHint(error: unknown, directory: string): string | undefined {
  return isFullDisk(error) ? `The disk is full. Free space on the disk of ${directory}, then start the agent again.` : undefined
}
