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
