const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is no such file or folder',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EISDIR: 'it is a folder',
  ENXIO: 'it is not a regular file',
  ENOSPC: 'the disk is full',
}

/** Why a file cannot be read or written, in words. */
export function fileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return `${reasons[code] ?? message}.`
}
