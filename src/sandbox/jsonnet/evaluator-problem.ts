import { printable, shortened } from '../../lib/text/printable.js'
import { programName } from './jsonnet-script.js'
import type { Binding, LinkedJsonnet } from './link-jsonnet.js'
import type { JsonnetProblem } from '../sandbox.js'

const mostCharacters = 500
/** `package:3:5-9`, `package:(3:5)-(4:2)`. */
const position = new RegExp(`(?:^|[\\t ])${programName}:\\(?(\\d+):\\d+`)

/** Converts a message about the program of an entry point to a problem at the author's file and line. */
export function evaluatorProblem(message: string, program: LinkedJsonnet, entry: number): JsonnetProblem {
  const { path, uses } = program.entries[entry]!
  const bindings = uses.map((at) => program.bindings[at]!)
  const [first = '', ...trace] = message.split('\n\t')
  const [, kind = '', said = ''] = /^(STATIC|RUNTIME) ERROR: ([^]*)$/.exec(first.trim()) ?? ['', '', first.trim()]
  const static_ = kind === 'STATIC'
  const where = placeOf(static_ ? [said] : trace, bindings) ?? { file: path, line: 1 }
  const why = static_ ? said.replace(/^\S+: /, '') : said
  const sentence = `${shortened(printable(why), mostCharacters).replace(/\.$/, '')}.`
  return { ...where, code: static_ ? 'sandbox/syntax' : 'sandbox/evaluation', message: sentence }
}

/** The first place in a file that the lines name. */
function placeOf(
  lines: readonly string[],
  bindings: readonly Binding[],
): Pick<JsonnetProblem, 'file' | 'line'> | undefined {
  for (const line of lines) {
    const found = position.exec(line)
    if (found !== null) return fileAt(Number(found[1]), bindings)
  }
  return undefined
}

/** Finds the file of a program line. Bindings follow each other; the code of each starts in its second line. */
function fileAt(line: number, bindings: readonly Binding[]): Pick<JsonnetProblem, 'file' | 'line'> | undefined {
  let first = 1
  for (const { file, lines } of bindings) {
    if (line < first + lines) return { file, line: Math.min(Math.max(1, line - first), lines - 2) }
    first += lines
  }
  return undefined
}
