// Evaluates a program without imports. Takes the program; gives the JSON of its entry points, or problems at the
// author's file and line.
import { Bug } from '../../model/errors.js'
import { runBounded, type ChildEnd } from '../bounded-child.js'
import { evaluatorProblem } from './evaluator-problem.js'
import { findEvaluator, noEvaluator } from './find-evaluator.js'
import { jsonnetScript, type ChildInput, type ChildLine } from './jsonnet-script.js'
import type { LinkedJsonnet } from './link-jsonnet.js'
import type { Evaluated, JsonnetProblem, SandboxLimits } from '../sandbox.js'

/**
 * One child evaluates all entry points. If it exceeds a limit, the current entry point gets the problem, and later ones
 * are not evaluated.
 */
export async function evaluateJsonnet(
  program: LinkedJsonnet,
  { evaluator, ...limits }: SandboxLimits & { readonly evaluator: string },
  signal: AbortSignal,
): Promise<Omit<Evaluated, 'imported'>> {
  const input: ChildInput = {
    driver: findEvaluator(evaluator),
    memory: limits.evaluationMemory,
    bytes: limits.evaluationBytes,
    timeMs: limits.evaluationMs + 1_000,
    codes: program.bindings.map(({ code }) => code),
    entries: program.entries,
  }
  const outputBytes = 2 * limits.evaluationBytes + 65_536 // a quote takes two characters in JSON
  const bounds = { timeMs: limits.evaluationMs, memory: limits.evaluationMemory, outputBytes }
  return readAnswer(await runBounded(jsonnetScript, JSON.stringify(input), bounds, signal), program, limits)
}

function readAnswer(
  { output, end }: ChildEnd,
  program: LinkedJsonnet,
  limits: SandboxLimits,
): Omit<Evaluated, 'imported'> {
  const texts = new Map<string, string>()
  const problems: JsonnetProblem[] = []
  let inProgress: number | undefined
  let stopped: StopReason = end
  for (const line of linesOf(output)) {
    if ('noEvaluator' in line) throw noEvaluator(new Error(line.noEvaluator))
    if ('at' in line) inProgress = line.at
    if ('text' in line) texts.set(program.entries[inProgress!]!.path, line.text)
    if ('error' in line) problems.push(evaluatorProblem(line.error, program, inProgress!))
    if ('noMemory' in line) stopped = 'memory'
    if ('noRoom' in line) stopped = 'output'
  }
  if (stopped !== 'itself') problems.push(limitProblem(stopped, program.entries[inProgress ?? 0]!.path, limits))
  else if (texts.size + problems.length < program.entries.length)
    throw new Bug('The evaluator ended without an answer to everything.')
  return { texts, problems }
}

type StopReason = ChildEnd['end'] | 'memory'

/** Whole lines only: the last one may be incomplete. */
function linesOf(output: string): readonly ChildLine[] {
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ChildLine)
}

function limitProblem(
  left: Exclude<StopReason, 'itself'>,
  file: string,
  { evaluationMs, evaluationMemory, evaluationBytes }: SandboxLimits,
): JsonnetProblem {
  const fault = (code: string, message: string, hint = endless): JsonnetProblem => ({
    file,
    line: 1,
    code: `sandbox/${code}`,
    message,
    hint,
  })
  switch (left) {
    case 'time':
      return fault('time', `evaluating it took longer than ${evaluationMs / 1000} s (limits.evaluation).`)
    case 'memory':
      return fault('memory', `evaluating it took more than ${evaluationMemory} bytes (limits.evaluationMemory).`)
    case 'output':
      return fault('output', `it evaluates to more than ${evaluationBytes} bytes (limits.evaluationBytes).`)
    case 'crash':
      return fault('crash', 'the evaluator crashed.', 'Check the file for very deep nesting and very large values.')
  }
}

const endless = 'Check the file for endless recursion. If the size is intended, raise the limit, or split the package.'
