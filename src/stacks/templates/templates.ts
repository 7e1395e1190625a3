// stacks/templates: packages pushed through the InfluxDB API. Takes requests; gives diffs and summaries.
// Promises: a dry run writes nothing; an invalid package writes nothing; an apply is a sync, and is undone if it fails.
import { Refused } from '../../model/errors.js'
import { inlineUrls } from '../../model/source-spec.js'
import type { Stack } from '../../model/stack.js'
import type { Desk } from '../desk.js'
import type { PushedPackage } from '../inputs/pushed-package.js'
import type { PushVerb } from '../changes/push-package.js'
import { templateStackSpec } from './template-stacks.js'
import type { Organisation } from '../targets.js'
import { ApplyTemplate } from './apply-template.js'
import { gatherPackage } from './gather-package.js'
import { templateOutcome, preview, type PreviewInput } from './preview.js'
import type { TemplateOutcome } from './template-answer.js'
import type { TemplateRequest } from './template-request.js'

export type { TemplateAnswer, TemplateOutcome, ValidationError } from './template-answer.js'
export type { GivenPackage, PackageUrl, TemplateRequest } from './template-request.js'

export class TemplateVerbs {
  readonly #desk: Desk
  readonly #pushes: PushVerb
  readonly #applies: ApplyTemplate

  constructor(desk: Desk, pushes: PushVerb) {
    this.#desk = desk
    this.#pushes = pushes
    this.#applies = new ApplyTemplate(desk, pushes)
  }

  /** The plan of an apply, and the problems of the package. Writes nothing. */
  async dryRun(request: TemplateRequest, signal: AbortSignal): Promise<TemplateOutcome> {
    const asked = await this.#asked(request, signal)
    return templateOutcome(await preview(asked, this.#desk, signal), request.stackID ?? '')
  }

  /**
   * Applies the package, to a new stack if the request names none. A client that disconnects does not stop an apply
   * that has begun. Errors: `Refused` failed, if the apply was undone.
   */
  async apply(request: TemplateRequest, by: string, signal: AbortSignal): Promise<TemplateOutcome> {
    const asked = await this.#asked(request, signal)
    const { organisation, isNew } = asked
    return this.#desk.turn(organisation.target, signal, async () => {
      const stack = isNew ? asked.stack : await this.#stack(asked.stack.id, organisation)
      return this.#applies.apply({ ...asked, stack }, request, by)
    })
  }

  async #asked(request: TemplateRequest, signal: AbortSignal): Promise<PreviewInput> {
    const organisation = this.#desk.sync.targets.organisation(request.orgID)
    const known = request.stackID === undefined ? undefined : await this.#stack(request.stackID, organisation)
    const stack = known ?? { id: '', spec: templateStackSpec(organisation.target, 'template'), consent: null }
    const { files, origins } = await gatherPackage(
      request,
      known === undefined ? [] : inlineUrls(known.spec),
      this.#desk.sync.remotes,
      signal,
    )
    const { values, secrets, skips } = request
    const pushed: PushedPackage = { files, values, secrets, skips, allowEmpty: true }
    const prepared = await this.#pushes.prepare(stack.spec, pushed, known)
    return { organisation, stack, isNew: known === undefined, pushed, prepared, origins }
  }

  async #stack(id: string, organisation: Organisation): Promise<Stack> {
    const stack = await this.#desk.stackWithId(id)
    if (this.#desk.sync.targets.organisationOf(stack.spec.target).id !== organisation.id)
      throw new Refused('conflict', `The stack ${id} belongs to another organization than ${organisation.id}.`, {
        code: 'stacks/other-organisation',
      })
    if (stack.spec.sources.length !== 1 || stack.spec.sources[0]!.kind !== 'inline')
      throw new Refused('conflict', `${stack.spec.name} follows its own sources: a package cannot be handed to it.`, {
        code: 'stacks/not-inline',
        hint: `Push to what it follows, or leave the stack's id out.`,
      })
    return stack
  }
}
