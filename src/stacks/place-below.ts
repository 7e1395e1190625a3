import type { Problem } from '../model/problem.js'
import { pathOf, type SourceSpec } from '../model/source-spec.js'
import { folderOf } from './source-parts.js'

/** Problems with their files as the sources have them: a package knows its files from the path of each source on. */
export function placeBelow(sources: readonly SourceSpec[], problems: readonly Problem[]): readonly Problem[] {
  const tops = sources
    .map((source, at) => ({ folder: folderOf(sources, at), path: pathOf(source) }))
    .filter(({ path }) => path !== '')
  if (tops.length === 0) return problems
  return problems.map((problem) => {
    const { place } = problem
    const top = place && tops.find(({ folder }) => place.file.startsWith(folder))
    return top === undefined
      ? problem
      : { ...problem, place: { ...place!, file: top.folder + below(top.path, place!.file.slice(top.folder.length)) } }
  })
}

/** `path` may be the file itself. */
function below(path: string, file: string): string {
  return path === file || path.endsWith(`/${file}`) ? path : `${path}/${file}`
}
