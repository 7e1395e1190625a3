// What the doctor reports about the configuration file: a refused reload, refused stacks, settings that need a restart.
import { printable } from '../../lib/text/printable.js'
import { isoTime, timeText } from '../../lib/text/time-text.js'
import { ok, problem, warning, type Check } from '../../model/agent/check.js'
import type { ConfigurationStatus } from '../../model/agent/configuration-status.js'
import { countProblems, firstProblems, formatProblem, type Problem } from '../../model/problem.js'
import type { ConfigurationView } from '../../views/configuration.js'

const name = 'configuration'
/** The most problems of a file in one diagnosis. */
const problemsShown = 20

/** Of an agent without a configuration file: none. */
export function configurationChecks(status: ConfigurationStatus): readonly Check[] {
  const { file, loadedAt } = status
  if (file === null) return []
  const checks = [...refusedReload(status, file), ...refusedStacks(status), ...pendingRestart(status, file)]
  return checks.length > 0 ? checks : [ok(name, `${file}, read at ${timeText(loadedAt)}`)]
}

export function viewConfiguration({
  loadedAt,
  refused,
  values: _values,
  ...status
}: ConfigurationStatus): ConfigurationView {
  return {
    ...status,
    loadedAt: status.file === null ? null : isoTime(loadedAt),
    refused: refused && { at: isoTime(refused.at), problems: [...refused.problems] },
    needsRestart: [...status.needsRestart],
    refusedStacks: [...status.refusedStacks],
  }
}

function refusedReload({ refused, loadedAt }: ConfigurationStatus, file: string): readonly Check[] {
  if (refused === null) return []
  const count = countProblems(refused.problems)
  const errors = `${count} ${count === 1 ? 'error' : 'errors'}`
  const message =
    `The reload of ${file} at ${timeText(refused.at)} was refused: the file has ${errors}. ` +
    `The configuration of ${timeText(loadedAt)} is still in force.`
  const next = `Fix the file and check it: gitmoor config check ${file}\nThen reload it: kill -HUP ${process.pid}`
  return [problem(name, message, next), ...problemChecks(refused.problems, 'Fix it in the file.')]
}

function refusedStacks({ refusedStacks: problems }: ConfigurationStatus): readonly Check[] {
  return problemChecks(problems, 'Fix the stack in the configuration file, and reload it.')
}

function problemChecks(problems: readonly Problem[], next: string): readonly Check[] {
  return firstProblems(problems, problemsShown).map((one) => {
    const text = formatProblem(one)
    const isNamed = one.stack === undefined || text.includes(one.stack)
    return problem(name, isNamed ? text : `stack ${printable(one.stack)}: ${text}`, one.hint ?? next)
  })
}

function pendingRestart({ needsRestart }: ConfigurationStatus, file: string): readonly Check[] {
  if (needsRestart.length === 0) return []
  const settings = needsRestart.join(', ')
  const message = `Changed settings of ${file} need a restart: ${settings}. Their former values are in force.`
  return [warning(name, message, 'Restart the agent to use them.')]
}
