// What went wrong below gitmoor, in words. Codes of the system, such as ENOENT, are for programs.

const faults: Readonly<Record<string, string>> = {
  E2BIG: 'the list of arguments is too long',
  EACCES: 'permission denied',
  EBUSY: 'it is in use',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it exists already',
  EFBIG: 'the file is too large',
  EIO: 'the disk failed',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENFILE: 'too many open files on this machine',
  ENODEV: 'no such device',
  ENOENT: 'no such file or directory',
  ENOEXEC: 'it is not a program for this machine',
  ENOMEM: 'out of memory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'a part of its path is not a directory',
  ENOTEMPTY: 'the directory is not empty',
  ENXIO: 'it is not a regular file',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ESTALE: 'the network file system lost the file',
  ETXTBSY: 'the program is in use',
  EXDEV: 'it is on another file system',
  EADDRINUSE: 'the address is already in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNABORTED: 'the connection was closed',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTDOWN: 'the host is unreachable',
  EHOSTUNREACH: 'the host is unreachable',
  ENETDOWN: 'the network is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ENOTFOUND: 'the host name does not exist',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  UND_ERR_SOCKET: 'the connection was closed during the response',
}

/** `40B7…:error:0A000410:SSL routines:ssl3_read_bytes:wrong version number:../deps/….c:1605:` */
const openSsl = /^(?:[0-9A-F]+:)?error:[0-9A-F]+:[^:]*:[^:]*:([^:\n]+).*$/s

/** Of an error whose code is not listed: its message, without the code, and without places in the code of OpenSSL. */
export function faultText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (Object.hasOwn(faults, code)) return faults[code]!
  const message = error.message.replace(openSsl, '$1')
  // Node writes `CODE: words, call 'path'`.
  return message.startsWith(`${code}: `) ? message.slice(code.length + 2).replace(/, \w+( '.*)?$/s, '') : message
}
