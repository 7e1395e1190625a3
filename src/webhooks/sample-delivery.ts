// A delivery in the format of a provider, to test a webhook.
import { newMap } from '../model/json.js'
import { pointerKeys } from '../lib/text/json-pointer.js'
import { formHeaders } from './delivery-content.js'
import { signatureHeader } from './signature.js'
import type { Incoming, Webhook } from './webhook.js'

/** `repository`: its address; `ref`: full name. */
export interface SampleChange {
  readonly repository: string
  readonly ref: string
  readonly commit: string
}

export function sampleDelivery(
  hook: Webhook,
  change: SampleChange,
  { key, secret }: { readonly key: string; readonly secret: string },
): Incoming {
  const { event, payload } = sampleEvent(hook, change)
  const body = Buffer.from(JSON.stringify(payload))
  const headers = new Map(Object.entries({ 'content-type': 'application/json', ...formHeaders(hook, event, key) }))
  const header = (name: string): string | undefined => headers.get(name)
  headers.set(...signatureHeader(hook, { header, body }, secret))
  return { header, body }
}

function sampleEvent(
  { provider, generic }: Webhook,
  { repository, ref, commit }: SampleChange,
): { readonly event: string; readonly payload: object } {
  const isTag = ref.startsWith('refs/tags/')
  switch (provider) {
    case 'gitlab': {
      const kind = isTag ? 'tag_push' : 'push'
      const payload = { object_kind: kind, ref, after: commit, project: { git_http_url: repository } }
      return { event: isTag ? 'Tag Push Hook' : 'Push Hook', payload }
    }
    case 'bitbucket': {
      const name = ref.replace(/^refs\/(?:heads|tags)\//, '')
      const changed = { new: { type: isTag ? 'tag' : 'branch', name, target: { hash: commit } } }
      return {
        event: 'repo:push',
        payload: { push: { changes: [changed] }, repository: { links: { html: { href: repository } } } },
      }
    }
    case 'generic': {
      const values = [
        [generic.ref, ref],
        [generic.commit, commit],
        [generic.repository, repository],
      ] as const
      const payload = newMap<unknown>()
      for (const [pointer, value] of values) if (pointer !== undefined) put(payload, pointer, value)
      return { event: 'push', payload }
    }
    case 'github':
    case 'gitea':
    case 'forgejo':
    case 'gogs':
      return { event: 'push', payload: { ref, after: commit, repository: { clone_url: repository } } }
  }
}

/** Sets the value at a JSON Pointer. */
function put(payload: Record<string, unknown>, pointer: string, value: string): void {
  const keys = [...pointerKeys(pointer)]
  const last = keys.pop()!
  let at = payload
  for (const key of keys) at = (at[key] ??= newMap()) as Record<string, unknown>
  at[last] = value
}
