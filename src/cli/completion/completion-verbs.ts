import { Argument, type Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { TargetResource } from '../../views/resource.js'
import type { Page } from '../../views/page.js'
import type { RunRow } from '../../views/run.js'
import type { StackRow } from '../../views/stack.js'
import type { DeliveryView, WebhookView } from '../../views/webhook.js'
import type { ChannelView } from '../../views/channel.js'
import type { Client } from '../client/client.js'
import { completionFor, matching, type Candidate, type Completion } from './completion.js'
import { completionScripts } from './completion-scripts.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from '../verbs/follow-run.js'
import type { Declare } from '../invocation.js'
import { causeText } from '../text/short-forms.js'

/** Who presses Tab does not wait longer. */
const timeoutMs = 1_000

export function addCompletionVerbs(program: Command, declare: Declare): void {
  const completion = {
    usage: 'completion SHELL',
    arguments: [new Argument('<SHELL>').choices(Object.keys(completionScripts))],
    summary: 'print what makes Tab work in bash, zsh or fish',
    example: 'completion bash',
    notes:
      'bash: source <(gitmoor completion bash) in ~/.bashrc. zsh: the same with zsh, after compinit.\nfish: gitmoor completion fish > ~/.config/fish/completions/gitmoor.fish',
  }
  declare(program, completion, (at, [shell = 'bash']) => {
    const script = completionScripts[shell as keyof typeof completionScripts]
    at.out.answer({ script }, () => script.trimEnd().split('\n'))
    return Promise.resolve(exitCode.ok)
  })

  const complete = {
    usage: 'complete [WORDS...]',
    summary: 'what can be typed next',
    example: 'complete -- stack ',
    hidden: true,
  }
  declare(program, complete, async (at, typed) => {
    const found = completionFor(program, typed)
    const candidates = [
      ...found.words,
      ...matching(await listCandidates(at.client, found).catch(() => []), typed.at(-1) ?? ''),
    ]
    at.out.answer(candidates, () => candidates.map(({ word, about }) => `${word}\t${about}`))
    return exitCode.ok
  })
}

/** One page of what there is; nothing where the agent does not answer. */
async function listCandidates(client: Client, { list, stack }: Completion): Promise<readonly Candidate[]> {
  const ask = async <T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<readonly T[]> =>
    (await client.request<Page<T>>('GET', path, { query: { limit: 500, ...query }, idleTimeoutMs: timeoutMs })).items
  if (list === undefined) return []
  switch (list) {
    case 'stacks':
      return (await ask<StackRow>('/api/v1/stacks')).map(({ name, sync, health }) => ({
        word: name,
        about: `${sync}, ${health}`,
      }))
    case 'targets':
      return [...new Set((await ask<StackRow>('/api/v1/stacks')).map(({ target }) => target))].map((word) => ({
        word,
        about: '',
      }))
    case 'runs':
      return (await ask<RunRow>(stackPath(stack ?? '', 'runs'))).map(({ id, cause }) => ({
        word: id,
        about: causeText(cause),
      }))
    case 'channels':
      return (await ask<ChannelView>('/api/v1/channels')).map(({ name }) => ({ word: printable(name), about: '' }))
    case 'webhooks':
      return (await ask<WebhookView>('/api/v1/webhooks')).map(({ name, provider }) => ({ word: name, about: provider }))
    case 'deliveries':
      return (await ask<DeliveryView>('/api/v1/deliveries')).map(({ id, hook, at }) => ({
        word: id,
        about: `${hook}, ${at}`,
      }))
    case 'moves':
      return (await ask<ChannelView>('/api/v1/channels')).flatMap(({ name, newest }) =>
        newest === null ? [] : [{ word: newest.id, about: printable(`${name}, ${newest.state}`) }],
      )
    case 'resources':
      return (await ask<TargetResource>('/api/v1/resources')).map(resourceCandidate)
    case 'addresses':
      return (await ask<TargetResource>('/api/v1/resources', { stack: stack ?? '' })).map(resourceCandidate)
  }
}

function resourceCandidate({ address, family, id, displayName }: TargetResource): Candidate {
  return { word: printable(address ?? `${family}/${id}`), about: printable(displayName) }
}
