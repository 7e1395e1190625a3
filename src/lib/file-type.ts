/** The methods of `Stats` and `Dirent` for a path that is not a regular file. */
export interface FileType {
  isDirectory(): boolean
  isSymbolicLink(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

/** The type's name in a message. */
export function typeName(type: FileType): string {
  if (type.isSymbolicLink()) return 'symbolic link'
  if (type.isDirectory()) return 'folder'
  if (type.isFIFO()) return 'pipe'
  return type.isSocket() ? 'socket' : 'device'
}
