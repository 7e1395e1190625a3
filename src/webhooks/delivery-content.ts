// Reads deliveries: the repository, and the refs that changed. Each provider has its own format. Pure.
import type { Provider, RefChange } from '../model/agent/delivery.js'
import { isFormType, listAt, readPayload, textAt, unreadable, valueAt } from './payload.js'
import type { GenericForm, Incoming, Webhook } from './webhook.js'

/**
 * `repositories`: addresses of one repository, or its path on its server; none: any. No `changes`: an event that
 * changes no ref.
 */
export interface DeliveryContent {
  readonly event: string
  readonly repositories: readonly string[]
  readonly changes: readonly RefChange[]
}

interface ProviderForm {
  /** The header that names the event; '': there is none. */
  readonly event: string
  /** Headers with the id of the delivery. The first one that is present is used. */
  readonly delivery: readonly string[]
  /** JSON Pointers to addresses of the repository. */
  readonly repositories: readonly string[]
  readonly changes: (event: string, payload: unknown) => readonly RefChange[]
}

const hubRepository = ['clone_url', 'ssh_url', 'html_url'].map((key) => `/repository/${key}`)
const like = (name: string): ProviderForm => ({
  event: `x-${name}-event`,
  delivery: [`x-${name}-delivery`],
  repositories: hubRepository,
  changes: hubChanges,
})

const forms: Readonly<Record<Exclude<Provider, 'generic'>, ProviderForm>> = {
  github: like('github'),
  gitea: like('gitea'),
  forgejo: { ...like('forgejo'), delivery: ['x-forgejo-delivery', 'x-gitea-delivery'] },
  gogs: like('gogs'),
  gitlab: {
    event: 'x-gitlab-event',
    delivery: ['webhook-id', 'idempotency-key', 'x-gitlab-event-uuid'],
    repositories: ['git_http_url', 'git_ssh_url', 'web_url'].map((key) => `/project/${key}`),
    changes: gitlabChanges,
  },
  bitbucket: {
    event: 'x-event-key',
    delivery: ['x-request-uuid', 'x-request-id'],
    repositories: ['/repository/links/html/href', '/repository/full_name'],
    changes: bitbucketChanges,
  },
}

const mostKeyCharacters = 200

/** The event, as its sender names it; '' if it does not. */
function deliveryEvent({ provider }: Webhook, { header }: Incoming): string {
  const name = provider === 'generic' ? 'push' : (header(forms[provider].event) ?? '')
  return /^[\w :.-]{1,100}$/.test(name) ? name : ''
}

/** The sender's id of the delivery; '' if there is none. */
export function deliveryKey(hook: Webhook, { header }: Incoming): string {
  const key =
    keyHeaders(hook)
      .map((name) => header(name.toLowerCase()))
      .find((one) => one !== undefined) ?? ''
  return /^[\w{}:.=+/-]*$/.test(key) ? key.slice(0, mostKeyCharacters) : ''
}

function keyHeaders({ provider, generic }: Webhook): readonly string[] {
  if (provider !== 'generic') return forms[provider].delivery
  return generic.delivery === undefined ? [] : [generic.delivery]
}

/** The headers of an event and of an id, as the sender would write them. */
export function formHeaders(
  { provider, generic }: Webhook,
  event: string,
  key: string,
): Readonly<Record<string, string>> {
  if (provider === 'generic') return generic.delivery === undefined ? {} : { [generic.delivery.toLowerCase()]: key }
  const { event: name, delivery } = forms[provider]
  return { [name]: event, [delivery.at(-1)!]: key }
}

/** Errors: `Refused`, if it cannot be read, or does not say which ref changed. */
export function readDelivery(hook: Webhook, incoming: Incoming): DeliveryContent {
  const isForm = hook.provider !== 'generic' && isFormType(incoming.header('content-type'))
  const payload = readPayload(isForm, incoming.body)
  const event = deliveryEvent(hook, incoming)
  if (hook.provider === 'generic') return { event, ...genericContent(hook.generic, payload) }
  const { repositories, changes } = forms[hook.provider]
  const changed = changes(event, payload)
  const named = [...repositories.flatMap((pointer) => textAt(payload, pointer) ?? []), ...bitbucketNames(hook, payload)]
  if (changed.length > 0 && named.length === 0) throw unreadable('The body does not name the changed repository.')
  return { event, repositories: named, changes: changed }
}

function genericContent({ ref, commit, repository }: GenericForm, payload: unknown): Omit<DeliveryContent, 'event'> {
  const name = repository === undefined ? undefined : textAt(payload, repository)
  if (repository !== undefined && name === undefined) throw unreadable(`The body has no repository at ${repository}.`)
  const change = {
    ...(ref === undefined ? {} : refAt(payload, ref)),
    ...(commit === undefined ? {} : commitAt(payload, commit)),
  }
  return { repositories: name === undefined ? [] : [name], changes: [change] }
}

/**
 * GitHub, and providers with the same format. Most of them also send a push when a branch or tag is created or deleted.
 */
function hubChanges(event: string, payload: unknown): readonly RefChange[] {
  switch (event) {
    case 'push':
      return [{ ...refAt(payload, '/ref'), ...commitAt(payload, '/after') }]
    case 'create':
    case 'delete': {
      const { ref } = refAt(payload, '/ref')
      const full = ref.startsWith('refs/')
        ? ref
        : `refs/${textAt(payload, '/ref_type') === 'tag' ? 'tags' : 'heads'}/${ref}`
      if (event === 'delete') return [{ ref: full, commit: null }]
      return [textAt(payload, '/sha') === undefined ? { ref: full } : { ref: full, ...commitAt(payload, '/sha') }]
    }
    default:
      return []
  }
}

/** Hooks of a project, of a group, and of the whole system, whose event for several refs has no name. */
function gitlabChanges(_event: string, payload: unknown): readonly RefChange[] {
  switch (textAt(payload, '/object_kind') ?? textAt(payload, '/event_name') ?? '') {
    case 'push':
    case 'tag_push':
      return [{ ...refAt(payload, '/ref'), ...commitAt(payload, '/after') }]
    case 'repository_update':
      return listAt(payload, '/changes').map((one) => ({ ...refAt(one, '/ref'), ...commitAt(one, '/after') }))
    default:
      return []
  }
}

/** Cloud, and Data Center. */
function bitbucketChanges(event: string, payload: unknown): readonly RefChange[] {
  switch (event) {
    case 'repo:push':
      return listAt(payload, '/push/changes').map(cloudChange)
    case 'repo:refs_changed':
    case 'mirror:repo_synchronized':
      return listAt(payload, '/changes').map((one) => ({ ...refAt(one, '/ref/id'), ...commitAt(one, '/toHash') }))
    default:
      return []
  }
}

function cloudChange(change: unknown): RefChange {
  const side = valueAt(change, '/new') === null ? '/old' : '/new'
  const { ref: name } = refAt(change, `${side}/name`)
  const ref = `refs/${textAt(change, `${side}/type`) === 'tag' ? 'tags' : 'heads'}/${name}`
  return side === '/old' ? { ref, commit: null } : { ref, ...commitAt(change, '/new/target/hash') }
}

/** Only some versions of Data Center send addresses; all send the path. */
function bitbucketNames({ provider }: Webhook, payload: unknown): readonly string[] {
  if (provider !== 'bitbucket') return []
  const [project, slug] = [textAt(payload, '/repository/project/key'), textAt(payload, '/repository/slug')]
  const links = listAt(payload, '/repository/links/clone').flatMap((link) => textAt(link, '/href') ?? [])
  return project === undefined || slug === undefined ? links : [...links, `${project}/${slug}`]
}

function refAt(payload: unknown, pointer: string): { readonly ref: string } {
  const ref = textAt(payload, pointer)
  if (ref === undefined) throw unreadable(`The body has no ref at ${pointer}.`)
  return { ref }
}

/** Zeros mean that the ref was deleted. */
function commitAt(payload: unknown, pointer: string): { readonly commit: string | null } {
  const id = textAt(payload, pointer)?.toLowerCase()
  if (id === undefined || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id))
    throw unreadable(`The body has no commit id at ${pointer}.`)
  return { commit: /^0+$/.test(id) ? null : id }
}
