// Checks at every write the promises that one write can break: one writer, or several that only update; no writes while
// suspended; writes equal the plan; resources of others are not touched; nothing is removed that the revision declares
// or that needed an approval.
import { isDeepStrictEqual } from 'node:util'
import type { Change, Plan } from '../../src/model/resources/change.js'
import type { Clock } from '../../src/lib/clock.js'
import type { Json } from '../../src/model/json.js'
import type { Run } from '../../src/model/stacks/run.js'
import type { Stack } from '../../src/model/stacks/stack.js'
import type { JournalEntry } from '../../src/engine/journal.js'
import { hashDigits, sameRevision } from '../../src/model/sources/revision.js'
import { sourceRef } from '../../src/model/sources/source-spec.js'
import { awaitsDependencies } from '../../src/status/run-blockers.js'
import { manualWindows, windowState } from '../../src/settings/sync-windows.js'
import { fieldChanges } from '../../src/plan/diff.js'
import type { Store } from '../../src/store/store.js'
import { isKept } from './package-model.js'
import type { Model } from './model.js'
import type { Watch, Write } from './watched-platform.js'

interface Deps {
  readonly store: Store
  readonly model: Model
  readonly clock: Clock
  /** Run → addresses that it wrote, forward. */
  readonly written: Map<string, readonly string[]>
  readonly violated: (what: string) => void
  /** To which it writes. */
  readonly system: string
}

export class WriteWatch implements Watch {
  readonly #deps: Deps
  /** Connections that wrote and are not closed yet, and whether all of their writes updated resources. */
  readonly #writers = new Map<number, { readonly onlyUpdates: boolean }>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async before(write: Write): Promise<() => void> {
    const { store, model, clock } = this.#deps
    if (model.isSuspended(write.stack, clock.now())) this.#violated(write, 'the stack is suspended (promise 7)')
    const stack = (await store.stacks.get(write.stack))!
    this.#leavesIgnored(write, stack)
    const acting = (await store.runs.unfinished(stack.id)).filter(
      ({ phase }) => phase === 'applying' || phase === 'undoing',
    )
    if (acting.length !== 1) this.#violated(write, `${acting.length} runs of the stack act (promise 3)`)
    const run = acting[0] && (await store.runs.get(acting[0].id))
    this.#mayWrite(write, run)
    const entries = await store.journal.openEntries(stack.id)
    const entry = entries.findLast((one) => isOf(one, write))
    await this.#notOthers(write, stack)
    if (run?.phase === 'undoing' && entry === undefined && entries.some((one) => isMadeAgain(one, write)))
      return () => {}
    if (run === undefined || entry === undefined) {
      this.#violated(write, 'nothing in the journal says so')
      return () => {}
    }
    if (run.phase === 'undoing') {
      this.#undoes(write, entry)
      return () => {}
    }
    this.#asReleased(write, { stack, run })
    if (entries.every((one) => one.run === run.id)) await this.#notWhileItWaits(write, { stack, run })
    this.#asPlanned(write, { stack, run, entry })
    const { written } = this.#deps
    return () => void written.set(run.id, [...(written.get(run.id) ?? []), entry.change.address])
  }

  disconnected(connection: number): void {
    this.#writers.delete(connection)
  }

  /** The undo of an update may create a resource again that vanished since. */
  #mayWrite(write: Write, run: Run | undefined): void {
    const before = this.#writers.get(write.connection)
    const isUpdate = write.verb === 'update' || (before !== undefined && run?.phase === 'undoing')
    const onlyUpdates = isUpdate && before?.onlyUpdates !== false
    const others = [...this.#writers].filter(([connection]) => connection !== write.connection)
    this.#writers.set(write.connection, { onlyUpdates })
    if (others.some(([, other]) => !onlyUpdates || !other.onlyUpdates))
      this.#violated(write, 'somebody else is writing (promise 3)')
  }

  async #notOthers(write: Write, { spec }: Stack): Promise<void> {
    if (write.now === undefined) return
    const { family } = write.kind
    const resource = { family, identity: write.now.identity }
    const owner = (await this.#deps.store.ownership.owners(this.#deps.system, [resource])).get(
      `${family}/${write.now.identity}`,
    )
    if (owner !== undefined && owner.stack !== spec.name)
      this.#violated(write, `stack ${owner.stack} owns it (promise 6)`)
  }

  /** In apply and undo, an update leaves ignored fields as they are. */
  #leavesIgnored(write: Write, { spec }: Stack): void {
    if (write.verb !== 'update') return
    for (const { family, path } of spec.ignore)
      if (family === write.kind.family && !isDeepStrictEqual(write.now!.actual[path], write.state![path]))
        this.#violated(write, `others own its ${path}, which is ${JSON.stringify(write.now!.actual[path])} (promise 6)`)
  }

  /** A run writes a released revision, or the one of a rollback, whose pin may end while its run is in progress. */
  #asReleased(write: Write, { stack, run }: { readonly stack: Stack; readonly run: Run }): void {
    const isRollback = run.cause.decision === 'rollback' || sameRevision(stack.pinned?.revision, run.revision)
    if (run.intent !== 'sync' || isRollback) return
    const { model } = this.#deps
    const [ref, commit] = [sourceRef(stack.spec.sources[0]!), hashDigits(run.revision)]
    // A saved plan may be of a commit that was released a moment ago, before the next poll stores that.
    if (run.expects === null && !model.wasOffered(ref, commit)) this.#violated(write, `${commit} was never released`)
    if (model.vetoed.has(`${ref} ${commit}`)) this.#violated(write, `${commit} is vetoed`)
  }

  /** An automatic run writes nothing while it is blocked, unless it completes an interrupted apply. */
  async #notWhileItWaits(
    write: Write,
    { stack: { spec }, run }: { readonly stack: Stack; readonly run: Run },
  ): Promise<void> {
    const { model, store, clock } = this.#deps
    const since = [...model.instants.filter((at) => at >= run.createdAt), clock.now(), run.createdAt]
    const windows = run.cause.requested === true ? manualWindows(spec.windows) : spec.windows
    const isOpen =
      run.cause.overrideWindow !== undefined || since.some((at) => windowState(windows, spec.timeZone, at).isOpen)
    if (!isOpen) this.#violated(write, 'no window is open')
    if (!awaitsDependencies(run)) return
    for (const name of spec.dependsOn)
      if ((await store.stacks.get(name))?.applied === null)
        this.#violated(write, `${name}, on which it depends, never was applied`)
  }

  /** An undo removes only created resources, and restores only former ones. */
  #undoes(write: Write, entry: JournalEntry): void {
    const wasThere = entry.before !== undefined
    if ((write.verb === 'remove') === wasThere) this.#violated(write, 'undo does not bring back what was')
  }

  #asPlanned(
    write: Write,
    { stack, run, entry }: { readonly stack: Stack; readonly run: Run; readonly entry: JournalEntry },
  ): void {
    const { change } = entry
    const planned = run.plan?.changes.find(({ address }) => address === change.address)
    if (run.plan === null || entry.run !== run.id || !isDeepStrictEqual(planned, change)) {
      this.#violated(write, `run ${run.id} did not plan it (promise 5)`)
      return
    }
    if (run.expects !== null && !run.plan.digest.startsWith(run.expects))
      this.#violated(write, 'another plan was asked for (promise 5)')
    if (write.verb !== change.action || !showsFields(write, change))
      this.#violated(write, 'the plan shows something else (promise 5)')
    if (change.action === 'remove') this.#mayRemove(write, change, run)
    this.#wasApproved(write, { stack, run, plan: run.plan, change })
  }

  #mayRemove(write: Write, { address }: Change, run: Run): void {
    if (run.intent !== 'sync') return
    const declared = this.#deps.model.declaredBy(run.revision, write.stack)
    if (declared === undefined) this.#violated(write, 'its revision says nothing (promise 6)')
    if (declared?.has(address) === true) this.#violated(write, 'its revision declares it (promise 6)')
  }

  /** The approval rules again, with fewer facts than the plan had, so never stricter. */
  #wasApproved(
    write: Write,
    {
      stack,
      run,
      plan,
      change,
    }: { readonly stack: Stack; readonly run: Run; readonly plan: Plan; readonly change: Change },
  ): void {
    const { spec } = stack
    const isApproved = (one: Change): boolean =>
      this.#deps.model.isApproved(
        spec.name,
        run.revision,
        one.action === 'remove' || one.action === 'untrack' ? 'remove' : 'write',
        one.address,
      )
    const unapproved = plan.changes.filter((one) => !isApproved(one))
    const removals = unapproved.filter((one) => one.action === 'remove' && one.partOf === undefined).length
    const needed = [
      spec.apply === 'approval' && unapproved.length > 0,
      spec.dataLoss === 'refuse' && change.losesData === true && !isApproved(change),
      spec.adopt === 'refuse' && change.adopts === true && !isApproved(change),
      change.action === 'remove' && isKept(spec.protect, change.address) && !isApproved(change),
      removals > Math.max(1, spec.maxDeletes),
    ]
    if (needed.includes(true)) this.#violated(write, 'a person should have been asked (promise 6)')
  }

  #violated({ verb, stack, kind, now, state }: Write, why: string): void {
    this.#deps.violated(
      `${verb} of ${kind.family} ${now?.identity ?? ''} ${JSON.stringify(now?.actual ?? state)} by stack ${stack}: ${why}`,
    )
  }
}

function isOf({ change, identity, trace, state }: JournalEntry, write: Write): boolean {
  if (change.kind !== write.kind.kind || state === 'undone') return false
  if (write.verb === 'create') return identity === undefined && isDeepStrictEqual(trace, write.trace)
  return (identity ?? (trace as { readonly id?: string } | undefined)?.id) === write.now!.identity
}

/** A removed resource was created again with a new identity, and the undo of earlier steps uses that. */
function isMadeAgain({ state, identity }: JournalEntry, write: Write): boolean {
  return state === 'undone' && identity !== undefined && identity === write.now?.identity
}

function showsFields({ verb, kind, now, state }: Write, { fields }: Change): boolean {
  if (verb === 'remove') return fields.length === 0
  const done = fieldChanges(now && kind.normalise(now.actual), kind.normalise(state!))
  const planned = new Map(fields.map((field) => [field.path, field.new]))
  const isKnownLater = (value: Json | undefined): boolean =>
    typeof value === 'string' && value.startsWith('(known after apply')
  return (
    done.every(
      ({ path, new: value }) =>
        planned.has(path) && (isKnownLater(planned.get(path)) || isDeepStrictEqual(planned.get(path), value)),
    ) && fields.every(({ path, new: value }) => isKnownLater(value) || done.some((one) => one.path === path))
  )
}
