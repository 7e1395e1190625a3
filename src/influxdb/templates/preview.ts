// A dry run: the plan and the problems of a package. Writes nothing.
import type { Address } from '../../model/address.js'
import type { JsonObject } from '../../model/json.js'
import { errorsOf, formatProblem, type Problem } from '../../model/problem.js'
import type { Owned } from '../../model/resources/resource.js'
import { inSlices, type Steps } from '../../lib/async/steps.js'
import type { OrganisationView } from './template-stack.js'
import { pagesOfListings, type Reached } from '../../stacks/targets.js'
import {
  readAndPlan,
  recoverInterrupted,
  type Planned,
  type StackToPlan,
  type DesiredState,
} from '../../stacks/plans/plan-stack.js'
import { missingValues } from '../../stacks/inputs/missing-inputs.js'
import type { PreparedPackage } from '../../stacks/changes/push-package.js'
import type { PushedPackage } from '../../stacks/inputs/pushed-package.js'
import { readDeclared, type DeclaredPackage } from '../../stacks/load-package/read-declared.js'
import { desiredState } from '../../stacks/sync.js'
import type { MappingKey } from './mappings.js'
import { toWireDiff } from './wire-diff.js'
import { toWireSummary, type Missing } from './wire-summary.js'
import type { TemplateAnswer, TemplateOutcome } from './template-answer.js'
import { WireObjects } from './wire-objects.js'
import { validationErrors } from './validation-errors.js'
import type { Context } from '../../stacks/context.js'

/** The package to preview and its stack, which need not exist yet. */
export interface PreviewInput {
  readonly organisation: OrganisationView
  readonly stack: StackToPlan
  /** True if the stack does not exist yet. */
  readonly isNew: boolean
  readonly pushed: PushedPackage
  readonly prepared: PreparedPackage
  /** The origin of each file. */
  readonly origins: ReadonlyMap<string, string>
}

export interface Preview {
  readonly input: PreviewInput
  readonly declared: DeclaredPackage
  readonly planned: Planned
  readonly present: ReadonlySet<MappingKey>
  readonly missing: Missing
  /** Of the package and of the plan. */
  readonly problems: readonly Problem[]
}

/** Problems of the package are in the result, and the plan covers its valid part. Errors: those of the target. */
export async function preview(context: Context, input: PreviewInput, signal: AbortSignal): Promise<Preview> {
  const { stack, prepared } = input
  const declared = await readDeclared(prepared, stack.spec, { ...context.sync, given: prepared.inputs }, signal)
  return context.sync.targets.reach(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
    if (await context.store.journal.isOpen(stack.id))
      await context.scheduler.runs.exclusively(stack.id, signal, () =>
        recoverInterrupted(context.sync, stack.id, reached, signal),
      )
    const planned = await readAndPlan(
      stack,
      validState(declared, `sha256:${prepared.digest}`),
      { ...context.sync, ...reached },
      signal,
    )
    const present = await presentMappings(declared, planned, reached, signal)
    const missing = {
      envRefs: await inSlices(missingValues(declared.resources), signal),
      secrets: planned.missingSecrets,
    }
    return {
      input,
      declared,
      planned,
      present,
      missing,
      problems: [...declared.problems, ...planned.problems],
    }
  })
}

/** The answer. `applied`: what the stack owns after an apply. */
export async function templateOutcome(
  before: Preview,
  stackID: string,
  applied?: ReadonlyMap<Address, Owned>,
): Promise<TemplateOutcome> {
  const answer = await inSlices(answerSteps(before, stackID, applied))
  const errors = errorsOf(before.problems)
  if (errors.length === 0) return { answer }
  const withoutField = errors.filter(({ field }) => field === undefined).map(formatProblem)
  return { answer, invalid: withoutField.length === 0 ? 'unprocessable entity' : withoutField.join('\n\t') }
}

function* answerSteps(
  { input, declared, planned, present, missing, problems }: Preview,
  stackID: string,
  applied?: ReadonlyMap<Address, Owned>,
): Steps<TemplateAnswer> {
  const { organisation, origins } = input
  const wirePlan = {
    orgID: organisation.id,
    resources: declared.resources,
    planned,
    ...(applied === undefined ? {} : { applied }),
  }
  const objects = new WireObjects(wirePlan)
  yield
  const known = { documents: declared.documents, sourceOf: (file: string) => origins.get(file) }
  const errors = validationErrors(errorsOf(problems), known)
  const warnings = validationErrors(
    problems.filter(({ severity }) => severity === 'warning'),
    known,
  )
  yield
  return {
    sources: documentSources(declared, origins),
    stackID,
    diff: yield* toWireDiff(wirePlan, objects, present),
    summary: yield* toWireSummary(wirePlan, objects, missing),
    ...(errors.length === 0 ? {} : { errors }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** The origins of the documents; a file without documents has none. */
export function documentSources(
  { documents }: Pick<DeclaredPackage, 'documents'>,
  origins: ReadonlyMap<string, string>,
): readonly string[] {
  const files = new Set(documents.map(({ place }) => place.file))
  return [...origins].flatMap(([path, source]) => (files.has(path) ? [source] : []))
}

/** Over the API the last apply wins. A package with errors removes nothing: its invalid documents still declare it. */
function validState(declared: DeclaredPackage, revision: string): DesiredState {
  const inError = errorsOf(declared.problems).length > 0
  const desired = desiredState(inError ? { ...declared, isSkipped: (_record: Owned) => true } : declared, revision)
  return { ...desired, takesOver: true }
}

/** The label mappings of the target, read only if the package declares labels that exist there. */
async function presentMappings(
  { resources }: DeclaredPackage,
  { observed }: Planned,
  reached: Reached,
  signal: AbortSignal,
): Promise<ReadonlySet<MappingKey>> {
  const pairs = new Set<MappingKey>()
  if (!resources.some(({ address }) => address.startsWith('Label/') && observed.has(address))) return pairs
  for await (const page of pagesOfListings(reached, signal, 'LabelMapping')) {
    const ours = page.filter(({ family }) => family === 'LabelMapping')
    for (const { observed: there } of ours) pairs.add(mappingPair(there.actual))
    if (ours.length < page.length) break
  }
  return pairs
}

function mappingPair({ resourceID = '', labelID = '' }: JsonObject): MappingKey {
  return `${JSON.stringify(resourceID)}/${JSON.stringify(labelID)}`.replaceAll('"', '')
}
