import { digitsOf } from '../model/revision.js'
import type { Stack } from '../model/stack.js'
import type { Desk } from './desk.js'
import { viewSources } from './view-stack.js'
import type { SourceView } from './views.js'

/** The sources of a stack, each that follows a range of versions with the tag that was chosen. */
export async function taggedSources(desk: Desk, stack: Stack): Promise<readonly SourceView[]> {
  return Promise.all(
    viewSources(stack).map(async (source) => {
      if (source.kind !== 'git' || source.revision === null) return source
      const tag = await desk.store.channels.tagAt(
        desk.remoteOf(source, stack.spec.name),
        source.ref,
        digitsOf(source.revision),
      )
      return tag === undefined ? source : { ...source, tag }
    }),
  )
}
