// A dry run: the plan and the problems of a package. Writes nothing.
import type { Address, Identity } from '../../model/address.js'
import type { JsonObject } from '../../model/json.js'
import { errorsOf, formatProblem, type Problem } from '../../model/problem.js'
import type { Owned } from '../../model/resource.js'
import { inTurns, Turns, type Steps } from '../../model/turns.js'
import type { Desk } from '../desk.js'
import { pagesOfListings } from '../every-listing.js'
import { kindsByName, lookAndPlan, type Planned, type Planning, type Wish } from '../plan-stack.js'
import { missingValues } from '../missing.js'
import type { KeptPackage } from '../push-verb.js'
import type { PushedPackage } from '../pushed-package.js'
import { readWanted, wishOf, type Wanted } from '../sync.js'
import type { Organisation, Reached } from '../targets.js'
import type { Pair } from './mappings.js'
import { pictureDiff } from './picture-diff.js'
import { pictureSummary, type Missing } from './picture-summary.js'
import type { TemplateAnswer, TemplateOutcome } from './template-answer.js'
import { Things } from './things.js'
import { validationErrors } from './validation-errors.js'

/** The package to preview and its stack, which need not exist yet. */
export interface Asked {
  readonly organisation: Organisation
  readonly stack: Planning
  /** True if the stack does not exist yet. */
  readonly isNew: boolean
  readonly pushed: PushedPackage
  readonly kept: KeptPackage
  /** The origin of each file. */
  readonly origins: ReadonlyMap<string, string>
}

export interface Preview {
  readonly asked: Asked
  readonly wanted: Wanted
  readonly planned: Planned
  readonly present: ReadonlySet<Pair>
  readonly missing: Missing
  /** Of the package and of the plan. */
  readonly problems: readonly Problem[]
}

/** Problems of the package are in the result, and the plan covers its valid part. Errors: those of the target. */
export async function preview(asked: Asked, desk: Desk, signal: AbortSignal): Promise<Preview> {
  const { stack, kept } = asked
  const wanted = await readWanted(kept, stack.spec, { ...desk.sync, supplied: kept.supplied }, signal)
  return desk.sync.targets.reach(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
    if (!asked.isNew)
      await desk.sync.engine.recover({ stack: stack.id, ...reached, kindNamed: kindsByName(reached.platform) }, signal)
    const planned = await lookAndPlan(
      stack,
      validWish(wanted, `sha256:${kept.digest}`),
      { ...desk.sync, ...reached },
      signal,
    )
    const present = await presentMappings(wanted, planned, reached, signal)
    await new Turns(signal).took()
    const missing = { envRefs: missingValues(wanted.resources), secrets: planned.missingSecrets }
    return { asked, wanted, planned, present, missing, problems: [...wanted.problems, ...planned.problems] }
  })
}

/** The answer. `ids`: of the stack's resources, after an apply. */
export async function outcomeOf(
  before: Preview,
  stackID: string,
  ids?: ReadonlyMap<Address, Identity>,
): Promise<TemplateOutcome> {
  const answer = await inTurns(answerSteps(before, stackID, ids))
  const errors = errorsOf(before.problems)
  if (errors.length === 0) return { answer }
  const beside = errors.filter(({ field }) => field === undefined).map(formatProblem)
  return { answer, invalid: beside.length === 0 ? 'unprocessable entity' : beside.join('\n\t') }
}

function* answerSteps(
  { asked, wanted, planned, present, missing, problems }: Preview,
  stackID: string,
  ids?: ReadonlyMap<Address, Identity>,
): Steps<TemplateAnswer> {
  const { organisation, origins } = asked
  const pictured = {
    orgID: organisation.id,
    resources: wanted.resources,
    planned,
    ...(ids === undefined ? {} : { ids }),
  }
  const things = new Things(pictured)
  yield
  const known = { documents: wanted.documents, sourceOf: (file: string) => origins.get(file) }
  const errors = validationErrors(errorsOf(problems), known)
  const warnings = validationErrors(
    problems.filter(({ severity }) => severity === 'warning'),
    known,
  )
  return {
    sources: sourcesOf(wanted, origins),
    stackID,
    diff: yield* pictureDiff(pictured, things, present),
    summary: yield* pictureSummary(pictured, things, missing),
    ...(errors.length === 0 ? {} : { errors }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** The origins of the documents; a file without documents has none. */
export function sourcesOf(
  { documents }: Pick<Wanted, 'documents'>,
  origins: ReadonlyMap<string, string>,
): readonly string[] {
  const files = new Set(documents.map(({ place }) => place.file))
  return [...origins].flatMap(([path, source]) => (files.has(path) ? [source] : []))
}

/** Over the API the last apply wins. A package with errors removes nothing: its invalid documents still declare it. */
function validWish(wanted: Wanted, revision: string): Wish {
  const inError = errorsOf(wanted.problems).length > 0
  const wish = wishOf(inError ? { ...wanted, leaves: (_record: Owned) => true } : wanted, revision)
  return { ...wish, takesOver: true }
}

/** The label mappings of the target, read only if the package declares labels that exist there. */
async function presentMappings(
  { resources }: Wanted,
  { observed }: Planned,
  reached: Reached,
  signal: AbortSignal,
): Promise<ReadonlySet<Pair>> {
  const pairs = new Set<Pair>()
  if (!resources.some(({ address }) => address.startsWith('Label/') && observed.has(address))) return pairs
  for await (const page of pagesOfListings(reached, signal, 'LabelMapping')) {
    const ours = page.filter(({ family }) => family === 'LabelMapping')
    for (const { observed: there } of ours) pairs.add(pairOf(there.live))
    if (ours.length < page.length) break
  }
  return pairs
}

function pairOf({ resourceID = '', labelID = '' }: JsonObject): Pair {
  return `${JSON.stringify(resourceID)}/${JSON.stringify(labelID)}`.replaceAll('"', '')
}
