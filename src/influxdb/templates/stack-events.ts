// Events of a template stack, from those that the store has.
import type { Steps } from '../../lib/async/steps.js'
import type { OwnershipEvent } from '../../model/stacks/run.js'
import { inlineUrls, sourceLocation } from '../../model/sources/source-spec.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { Kinds } from '../../platform/platform.js'
import type { TemplateEventResource, TemplateStackEvent } from './template-stack.js'

/** The API version of each family. */
export function apiVersions({ kinds }: Pick<Kinds, 'kinds'>): (family: string) => string {
  const versions = new Map(kinds.toReversed().map(({ family, apiVersions: known }) => [family, known[0] ?? '']))
  return (family) => versions.get(family) ?? ''
}

/**
 * The stack's creation, then the events that changed it. `apiVersionOf` fills in the version of each kind. A step for
 * each resource.
 */
export function* viewEvents(
  stack: Stack,
  events: readonly OwnershipEvent[],
  apiVersionOf: (kind: string) => string,
): Steps<readonly TemplateStackEvent[]> {
  const filled: TemplateStackEvent[] = []
  for (const event of events) {
    const resources: TemplateEventResource[] = []
    for (const resource of event.resources) {
      yield
      resources.push({ ...resource, apiVersion: apiVersionOf(resource.kind) })
    }
    filled.push({ ...event, resources })
  }
  return filled[0]?.eventType === 'create' ? filled : [creation(stack), ...filled]
}

/** For a stack without a stored creation event: with its name of today. */
function creation({ spec, createdAt }: Stack): TemplateStackEvent {
  return {
    eventType: 'create',
    run: null,
    name: spec.displayName ?? spec.name,
    description: spec.description ?? '',
    resources: [],
    sources: spec.sources.filter(({ kind }) => kind !== 'inline').map(sourceLocation),
    urls: inlineUrls(spec),
    updatedAt: createdAt,
  }
}
