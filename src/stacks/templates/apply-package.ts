// An apply (packages 5): the package is pushed to its stack, and a run carries out exactly the plan that was previewed.
import { randomBytes } from 'node:crypto'
import type { Identity, Address } from '../../model/address.js'
import { Bug, Refused } from '../../model/errors.js'
import type { Run } from '../../model/run.js'
import type { Stack } from '../../model/stack.js'
import { digestOfPlan } from '../../plan/digest.js'
import type { Desk } from '../desk.js'
import type { PushVerb } from '../push-verb.js'
import { describeFailure } from './describe-failure.js'
import { outcomeOf, preview, sourcesOf, type Asked, type Preview } from './preview.js'
import type { TemplateOutcome } from './template-answer.js'
import type { TemplateRequest } from './template-request.js'

/** How often it is planned anew, where the target or the stack changed between the plan and its run. */
const mostTries = 5

/** The one who asked may leave: what began ends. */
const never = new AbortController().signal

export class ApplyPackage {
  readonly #desk: Desk
  readonly #pushes: PushVerb

  constructor(desk: Desk, pushes: PushVerb) {
    this.#desk = desk
    this.#pushes = pushes
  }

  /** The caller lets nobody else apply to the organisation meanwhile. Errors: `Refused` failed, where it was undone; those of what it refuses. */
  async apply(asked: Asked, request: TemplateRequest, by: string): Promise<TemplateOutcome> {
    let now = asked
    for (let tries = 1; ; tries++) {
      const before = await preview(now, this.#desk, never)
      const outcome = outcomeOf(before, request.stackID ?? '')
      if (outcome.invalid !== undefined) return outcome
      refuseEmpty(before, request)
      refuseDataLoss(before, request)
      const stack = await this.#stackOf(now, by)
      const run = await this.#carryOut(stack, before, by)
      if (isDone(run)) return outcomeOf(before, stack.id, await this.#ids(stack))
      if (!isStale(run) || tries === mostTries) throw await this.#failed(stack, run, asked)
      now = { ...now, stack, isNew: false }
    }
  }

  /** The stack that is applied to; a new one where there is none yet. */
  async #stackOf({ stack, isNew }: Asked, by: string): Promise<Stack> {
    if (!isNew) return this.#desk.stack(stack.id)
    const { targets } = this.#desk.sync
    const id = randomBytes(8).toString('hex')
    const spec = { ...stack.spec, name: `template-${id}` }
    const target = targets.liveSystem(spec.target)
    const made = await this.#desk.store.stacks.create(spec, { id, managedBy: 'api', target, cause: { kind: 'created', by }, quietly: true })
    return made.stack
  }

  async #carryOut(stack: Stack, before: Preview, by: string): Promise<Run> {
    const { store, dispatch } = this.#desk
    await this.#desk.revive(stack)
    if (stack.pinned !== null) await store.stacks.change(stack.id, { pinned: null })
    const run = await dispatch.exclusively(stack.id, never, () => this.#queue(stack, before, by))
    dispatch.wake(stack.id)
    return this.#ended(stack, run)
  }

  /**
   * Nothing runs for the stack meanwhile. The run waits for the look that sees what was pushed. A look that was under way may have given it what was there
   * before; then the one that saw the new package made a run of its own, whose place it takes.
   */
  async #queue(stack: Stack, before: Preview, by: string): Promise<Run> {
    const { store, dispatch } = this.#desk
    const { wanted, asked } = before
    const cause = { kind: 'person', by, note: 'a package was applied' } as const
    const queued = { stack: stack.id, cause, expects: digestFor(stack, before) }
    await this.#pushes.keep(stack, { ...asked.pushed, sources: sourcesOf(wanted, asked.origins) }, by)
    const run = await store.runs.add({ ...queued, revision: '' })
    dispatch.follow(stack) // not before: it looks at once
    await dispatch.look(stack, never)
    const last = (await store.runs.unfinished(stack.id)).at(-1)
    return last === undefined || last.id === run.id ? run : store.runs.add({ ...queued, revision: last.revision })
  }

  /** A run that is undone later, since its target does not answer, is not waited for. */
  async #ended(stack: Stack, { id }: Run): Promise<Run> {
    for (;;) {
      const changed = this.#desk.dispatch.changed(stack.id, never)
      changed.catch(() => {})
      const run = await this.#runNow(stack, id)
      if (run === undefined) throw new Bug(`Run ${id} is gone.`)
      if (run.outcome !== null) return run
      if (run.phase === 'undoing' && (await this.#desk.stack(stack.id)).retryAt !== null) return run
      await changed
    }
  }

  /** Without its plan, which may be large. */
  async #runNow(stack: Stack, id: string): Promise<Run | undefined> {
    const [found] = await this.#desk.store.runs.list(stack.id, { limit: 1, after: String(Number(id) + 1) })
    return found?.id === id ? found : undefined
  }

  async #ids({ id }: Stack): Promise<ReadonlyMap<Address, Identity>> {
    const owned = await this.#desk.store.ownership.of(id)
    return new Map([...owned].map(([address, { identity }]) => [address, identity]))
  }

  /** A stack that was made for this goes again (5.4), unless something of it could not be undone; one that was there is not tried again by itself. */
  async #failed(stack: Stack, run: Run, asked: Asked): Promise<Refused> {
    const { store, dispatch } = this.#desk
    const left = await dispatch.exclusively(stack.id, never, async () => {
      const open = (await store.journal.open(stack.id)).length > 0
      const owned = (await store.ownership.of(stack.id)).size > 0
      if (asked.isNew && !open && !owned) {
        await store.stacks.delete(stack.id)
        return false
      }
      const { failure } = await this.#desk.stack(stack.id)
      if (!open && failure !== null)
        await store.stacks.change(stack.id, { failure: { ...failure, retry: 'change' }, retries: 0, retryAt: null })
      return asked.isNew
    })
    if (asked.isNew && !left) dispatch.forget(stack.id)
    return describeFailure(run, left ? stack : undefined)
  }
}

/** The plan of a stack that was not there when it was made is the same plan. */
function digestFor({ id }: Stack, { planned: { plan } }: Preview): string {
  return id === plan.stack ? plan.digest : digestOfPlan({ ...plan, stack: id })
}

function isDone({ outcome }: Run): boolean {
  return outcome === 'applied' || outcome === 'unchanged'
}

function isStale({ outcome, problems }: Run): boolean {
  return outcome === 'superseded' || problems.some(({ code }) => code === 'plan/stale')
}

/** Nothing declared would remove all there is (packages 5.5, D34). */
function refuseEmpty({ wanted, planned }: Preview, { allowEmpty }: TemplateRequest): void {
  if (allowEmpty || wanted.documents.length > 0) return
  const count = [...planned.owned.values()].filter(({ partOf }) => partOf === undefined).length
  if (count === 0) return
  throw new Refused('held', `The package declares nothing and would remove all ${count} resources of the stack.`, {
    code: 'stacks/empty-package',
    hint: 'Uninstall the stack, or send `allowEmpty: true`.',
  })
}

/** Who does not allow data to be lost is told what would be (packages 5.2, D25). */
function refuseDataLoss({ planned: { plan } }: Preview, { allowDataLoss }: TemplateRequest): void {
  const losing = plan.changes.filter(({ losesData }) => losesData === true)
  if (allowDataLoss || losing.length === 0) return
  const names = losing.map(({ displayName, address }) => displayName ?? address)
  throw new Refused('held', `Removing ${names.slice(0, 10).join(', ')}${names.length > 10 ? ' …' : ''} deletes the data in it.`, {
    code: 'stacks/data-loss',
    hint: 'Keep it in the package, or allow the loss with `allowDataLoss: true`.',
  })
}
