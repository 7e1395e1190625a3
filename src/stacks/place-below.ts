import type { Problem } from '../model/problem.js'

/** Problems with their files as the repository has them: a package knows its files from the stack's `path` on. */
export function placeBelow(path: string, problems: readonly Problem[]): readonly Problem[] {
  if (path === '') return problems
  return problems.map((problem) =>
    problem.place === undefined ? problem : { ...problem, place: { ...problem.place, file: below(path, problem.place.file) } },
  )
}

/** `path` may be the file itself. */
function below(path: string, file: string): string {
  return path === file || path.endsWith(`/${file}`) ? path : `${path}/${file}`
}
