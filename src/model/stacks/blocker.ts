/**
 * What ends a blocker: a command, or a change that a person makes elsewhere. `verb`: of the command line, or 'edit'.
 * `cli`: the command line to type, '' for an edit. `purpose`: 'Approve', or the whole sentence of an edit.
 */
export interface NextStep {
  readonly verb: string
  readonly args: Readonly<Record<string, string>>
  readonly cli: string
  readonly purpose: string
}

/** Why a stack does not continue by itself. Times are milliseconds since the epoch; null: unknown. */
export interface Blocker<Reason extends string = string> {
  readonly reason: Reason
  /** A sentence. */
  readonly message: string
  readonly since: number | null
  /** When it ends by itself; null: at another event. */
  readonly until: number | null
  /** What else ends it, the first choice first. */
  readonly next: readonly NextStep[]
}

/** Blockers that the stack's own settings cause. */
export const settingBlockerReasons = ['Window', 'Dependencies'] as const
/**
 * `Suspended`: the stack was suspended after its run was queued. `Channel`: the channel has released nothing yet.
 * `PackageMissing`: nothing was pushed to an inline stack yet. `Undoing`: the target did not carry out the undo.
 */
export const runBlockerReasons = [
  ...settingBlockerReasons,
  'Suspended',
  'Channel',
  'PackageMissing',
  'Undoing',
] as const

/** Why a queued run does not begin, or an undo does not go on. */
export type RunBlocker = Blocker<(typeof runBlockerReasons)[number]>

/** A step that a command does. Values of `args` are those of its command line. */
export function command(purpose: string, verb: string, args: NextStep['args'], cli: string): NextStep {
  return { verb, args, cli, purpose }
}

/** A command about a stack: `gitmoor resume boards`. */
export function stackCommand(purpose: string, verb: string, stack: string, more = ''): NextStep {
  return command(purpose, verb, { stack }, `gitmoor ${verb} ${stack}${more}`)
}

/** A step that a person does outside of gitmoor, as a sentence without its full stop. */
export function edit(purpose: string): NextStep {
  return { verb: 'edit', args: {}, cli: '', purpose }
}

/** The steps as the hint of an error: one on each line. */
export function hintOf(steps: readonly NextStep[]): string {
  return steps.map((step) => nextText([step])).join('\n')
}

/** `See it: gitmoor plan boards. Or fix the package`: the steps in words. */
export function nextText(steps: readonly NextStep[]): string {
  return steps
    .map(({ purpose, cli }) => (cli === '' || purpose === '' ? purpose + cli : `${purpose}: ${cli}`))
    .map((text, at, all) => (at === all.length - 1 || /[.!?]$/.test(text) ? text : `${text}.`))
    .join(' ')
}
