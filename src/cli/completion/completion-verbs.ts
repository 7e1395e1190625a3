import { Argument, type Command } from 'commander'
import { compareText } from '../../lib/text/compare-text.js'
import { printable } from '../../lib/text/printable.js'
import { causeText } from '../../model/stacks/run.js'
import type { ChannelView, MoveView } from '../../views/channel.js'
import type { Explanation } from '../../views/explanation.js'
import type { FleetRow } from '../../views/fleet.js'
import type { Page } from '../../views/page.js'
import type { TargetResource } from '../../views/resource.js'
import type { RunRow } from '../../views/run.js'
import type { StackRow } from '../../views/stack.js'
import type { TargetView } from '../../views/target.js'
import type { MessageView, ReceiverView } from '../../views/notification.js'
import type { DeliveryView, WebhookView } from '../../views/webhook.js'
import type { Client } from '../client/client.js'
import { stackPath } from '../client/stack-path.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { fleetFollows } from '../text/fleet-text.js'
import { numberOf, shortRevision, showTime, withTag } from '../text/short-forms.js'
import { labelsText } from '../text/stack-text.js'
import { completionScripts } from './completion-scripts.js'
import { completionFor, matching, type Candidate, type Completion } from './completion.js'

/** A person who presses Tab does not wait longer. */
const timeoutMs = 1_000

export function addCompletionVerbs(program: Command, declare: Declare): void {
  const completion = {
    usage: 'completion SHELL',
    arguments: [new Argument('<SHELL>').choices(Object.keys(completionScripts))],
    summary: 'print the completion script for bash, zsh or fish',
    example: 'completion bash',
    notes:
      'bash: source <(gitmoor completion bash) in ~/.bashrc\n' +
      'zsh: source <(gitmoor completion zsh) in ~/.zshrc, after compinit\n' +
      'fish: gitmoor completion fish > ~/.config/fish/completions/gitmoor.fish',
  }
  declare(program, completion, (cli, [shell = 'bash']) => {
    const script = completionScripts[shell as keyof typeof completionScripts]
    cli.out.answer({ script }, () => script.trimEnd().split('\n'))
    return Promise.resolve(exitCode.ok)
  })

  const complete = {
    usage: 'complete [WORDS...]',
    summary: 'list the words that can come next',
    example: 'complete -- stack ',
    hidden: true,
  }
  declare(program, complete, async (cli, typed) => {
    const found = completionFor(program, typed)
    const { before = '' } = found
    const current = (typed.at(-1) ?? '').slice(before.length)
    const listed = matching(await listCandidates(cli.client, found, current).catch(() => []), current)
    const candidates = [...found.words, ...listed.map((one) => ({ ...one, word: before + one.word }))]
    cli.out.answer(candidates, () => candidates.map(({ word, about }) => `${word}\t${about}`))
    return exitCode.ok
  })
}

/** The first page of a list of the agent. `current`: the incomplete word. Errors: those of the request. */
async function listCandidates(
  client: Client,
  { list, first = '' }: Completion,
  current: string,
): Promise<readonly Candidate[]> {
  const read = async <T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<readonly T[]> =>
    (await client.request<Page<T>>('GET', path, { query: { limit: 500, ...query }, idleTimeoutMs: timeoutMs })).items
  if (list === undefined) return []
  switch (list) {
    case 'stacks':
      return (await read<StackRow>('/api/v1/stacks')).map(({ name, status }) => ({ word: name, about: status.state }))
    case 'fleets':
      return (await read<FleetRow>('/api/v1/fleets')).map((fleet) => ({
        word: fleet.name,
        about: fleetFollows(fleet),
      }))
    case 'targets':
      return (await read<TargetView>('/api/v1/targets')).map(({ name, platform, labels }) => ({
        word: name,
        about: printable([platform, labelsText({ labels })].filter((one) => one !== '').join(', ')),
      }))
    case 'labels':
      return labelCandidates(await read<StackRow>('/api/v1/stacks'), 'stack')
    case 'selectors':
      return selectorCandidates(labelCandidates(await read<StackRow>('/api/v1/stacks'), 'stack'), current)
    case 'target-selectors':
      return selectorCandidates(labelCandidates(await read<TargetView>('/api/v1/targets'), 'target'), current)
    case 'runs':
      return (await read<RunRow>(stackPath(first, 'runs'))).map(({ id, cause }) => ({
        word: id,
        about: printable(causeText(cause)),
      }))
    case 'plans':
      return digestCandidates(await client.request('GET', stackPath(first, 'explain'), { idleTimeoutMs: timeoutMs }))
    case 'channels':
      return channelCandidates(await read<ChannelView>('/api/v1/channels'))
    case 'webhooks':
      return (await read<WebhookView>('/api/v1/webhooks')).map(({ name, provider }) => ({
        word: name,
        about: provider,
      }))
    case 'deliveries':
      return (await read<DeliveryView>('/api/v1/deliveries')).map(({ id, hook, at }) => ({
        word: id,
        about: `${hook}, ${at}`,
      }))
    case 'receivers':
      return (await read<ReceiverView>('/api/v1/receivers')).map(({ name, type }) => ({ word: name, about: type }))
    case 'messages':
      return (await read<MessageView>('/api/v1/messages')).map(({ id, receiver, createdAt }) => ({
        word: id,
        about: `${receiver}, ${createdAt}`,
      }))
    case 'moves':
      return moveCandidates(await read<MoveView>('/api/v1/channels/moves', { channel: first }))
    case 'resources':
      return (await read<TargetResource>('/api/v1/resources')).map(resourceCandidate)
    case 'addresses':
      return (await read<TargetResource>('/api/v1/resources', { stack: first })).map(resourceCandidate)
  }
}

/** The digest of the plan that needs approval. */
function digestCandidates({ blockers }: Explanation): readonly Candidate[] {
  const digests = blockers.flatMap(({ message, next }) =>
    next.flatMap(({ verb, args }) =>
      verb === 'approve' && args['digest'] !== undefined ? [{ word: args['digest'], about: printable(message) }] : [],
    ),
  )
  return digests.filter(({ word }, at) => digests.findIndex((one) => one.word === word) === at)
}

/** Each channel by its ref alone, if that is unique, and by its whole name. */
function channelCandidates(channels: readonly ChannelView[]): readonly Candidate[] {
  const count = (ref: string): number => channels.filter((one) => one.ref === ref).length
  const bare = channels.filter(({ ref }) => count(ref) === 1)
  return [
    ...bare.map(({ ref, remote }) => ({ word: printable(ref), about: printable(remote) })),
    ...channels.map(({ name }) => ({ word: printable(name), about: '' })),
  ]
}

/** `latest`, and each move of a channel by its number, newest first. */
function moveCandidates(moves: readonly MoveView[]): readonly Candidate[] {
  const latest = moves.find(({ to }) => to !== null)
  return [
    ...(latest === undefined ? [] : [{ word: 'latest', about: `move ${latest.id}: ${moveText(latest)}` }]),
    ...moves.map((move) => ({ word: move.id, about: moveText(move) })),
  ]
}

function moveText({ to, state, observedAt }: MoveView): string {
  const end = to === null ? 'deleted' : withTag(shortRevision(to.commit), to.tag)
  return `${end}, ${printable(state)}, ${showTime(observedAt)}`
}

/** Each label of the stacks or targets once, as `key=value`, with the number of those that have it. */
function labelCandidates(labelled: readonly Pick<StackRow, 'labels'>[], noun: string): readonly Candidate[] {
  const counts = new Map<string, number>()
  for (const { labels } of labelled)
    for (const [key, value] of Object.entries(labels))
      counts.set(`${key}=${value}`, (counts.get(`${key}=${value}`) ?? 0) + 1)
  return [...counts]
    .toSorted(([one], [other]) => compareText(one, other))
    .map(([word, count]) => ({ word, about: numberOf(count, noun) }))
}

/** The labels after the conditions that are typed already. */
function selectorCandidates(labels: readonly Candidate[], current: string): readonly Candidate[] {
  const typed = current.slice(0, current.lastIndexOf(',') + 1)
  return labels.map(({ word, about }) => ({ word: typed + word, about }))
}

function resourceCandidate({ address, family, id, displayName }: TargetResource): Candidate {
  return { word: printable(address ?? `${family}/${id}`), about: printable(displayName) }
}
