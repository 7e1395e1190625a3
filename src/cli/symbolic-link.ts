import { UsageError } from './cli-error.js'

export function symbolicLink(path: string): UsageError {
  return new UsageError(
    `${path} is a symbolic link, which the agent does not follow.`,
    'Put the file itself there, or list it in .gitmoorignore.',
  )
}
