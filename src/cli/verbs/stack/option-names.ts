// Problems of a stack document that options made: they name the option that was typed, not the field of the document.
import type { Problem } from '../../../model/problem.js'
import { CliError } from '../../errors/cli-error.js'

/** Options of the command that say which ones became the document. */
interface Typed {
  readonly file?: string
  readonly url?: string
}

/** The same error with `NAME` and `--repo` in place of `"name"` and `"sources[0].url"`. */
export function withOptionNames(error: CliError, typed: Typed): CliError {
  if (typed.file !== undefined || error.problems.length === 0) return error
  const { exit, code, status, hint, requestId, cause } = error
  const [first] = error.problems
  const problems = error.problems.map((problem) => withOptionName(problem, typed))
  const message = error.message === first!.message ? problems[0]!.message : error.message
  return new CliError(exit, message, {
    code,
    status,
    problems,
    cause,
    ...(hint === undefined ? {} : { hint }),
    ...(requestId === undefined ? {} : { requestId }),
  })
}

function withOptionName(problem: Problem, typed: Typed): Problem {
  const { field, ...facts } = problem
  const word = field === undefined ? undefined : optionName(field, typed)
  const named = `"${field}"`
  if (word === undefined || !problem.message.startsWith(named)) return problem
  return { ...facts, message: word + problem.message.slice(named.length) }
}

/** `path`: in the document of a stack or of a fleet. undefined: no option has this name. */
function optionName(path: string, { url }: Typed): string | undefined {
  const field = path.replace(/^template\./, '')
  if (field.startsWith('targets.names')) return '--target'
  switch (field) {
    case 'targets.selector':
      return '--target-label'
    case 'name':
      return 'NAME'
    case 'sources[0].url':
      return url === undefined ? '--repo' : '--url'
    case 'sources[0].directory':
      return '--dir'
    case 'sources[0].ref':
    case 'sources[0].path':
    case 'sources[0].digest':
      return `--${field.slice('sources[0].'.length)}`
    default:
      return /^[a-z]+$/i.test(field)
        ? `--${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
        : undefined
  }
}
