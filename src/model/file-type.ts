/** What `Stats` and `Dirent` say of a path that is not a regular file. */
export interface FileType {
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

/** As a message names it. */
export function typeName(type: FileType): string {
  if (type.isSymbolicLink()) return 'symbolic link'
  if (type.isDirectory()) return 'folder'
  if (type.isFIFO()) return 'pipe'
  return type.isSocket() ? 'socket' : 'device'
}
