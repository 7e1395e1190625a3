// The help of commands: wrapped to the width of the terminal, not wrapped in a pipe; metavariables in upper case.
import { Argument, type Command, type Help } from 'commander'

/** More for `--help`. Each line of `notes` is wrapped. `example`: a command line without `gitmoor`. */
export interface HelpTexts {
  readonly notes?: string | undefined
  readonly example: string
}

/** How commander formats the help of all commands. */
export const helpSettings: Partial<Help> = {
  showGlobalOptions: true,
  minWidthToWrap: 20,
  commandUsage: (command) => {
    const next = command.commands.length > 0 ? ['COMMAND'] : command.registeredArguments.map(argumentTerm)
    return [...pathOf(command), ...next, '[OPTIONS]'].join(' ')
  },
  optionTerm: ({ flags }) => flags.replaceAll(/[<>]/g, ''),
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
}

/** Adds notes and an example after the options. */
export function addHelpTexts(command: Command, { notes, example }: HelpTexts): void {
  command.addHelpText('after', ({ error }) => {
    const output = command.configureOutput()
    const width = (error ? output.getErrHelpWidth?.() : output.getOutHelpWidth?.()) ?? Infinity
    const text = notes === undefined ? [] : ['', command.createHelp().boxWrap(notes, width)]
    return [...text, '', 'Example:', ...commandLines(`gitmoor ${example}`, width)].join('\n')
  })
}

/** A required argument that the verb checks itself, because its error lists the choices. */
export class CheckedArgument extends Argument {
  constructor(name: string) {
    super(`[${name}]`)
  }
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required || argument instanceof CheckedArgument ? name : `[${name}]`
}

function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()]
}

/** A command on as many lines as it needs. A shell reads them as one. */
function commandLines(command: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of command.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []) {
    const longer = `${lines.at(-1) ?? ' '} ${word}`
    if (lines.length === 0) lines.push(longer)
    else if (`${longer} \\`.length <= width) lines[lines.length - 1] = longer
    else lines.push(`    ${word}`)
  }
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line} \\`))
}
