// A stack that does not exist yet: what the form asks for, the document of the API, and the command line.
import type { StackDocument } from '../../../src/settings/documents/stack-document.js'
import { shellWord } from '../../lib/text.js'

/** Kinds of sources, with the name of the field that says where. */
export const sourceKinds = {
  git: 'Git repository',
  url: 'Package file or archive',
  directory: 'Directory on the machine of the agent',
  inline: 'Files that are pushed',
} as const

export type SourceKind = keyof typeof sourceKinds

/** Texts of the form; also the keys of the address. */
export interface Draft {
  readonly name: string
  readonly source: SourceKind
  readonly from: string
  readonly ref: string
  readonly path: string
  readonly target: string
  readonly interval: string
  readonly apply: 'auto' | 'approval'
}

export const emptyDraft: Draft = {
  name: '',
  source: 'git',
  from: '',
  ref: '',
  path: '',
  target: 'local',
  interval: '60s',
  apply: 'auto',
}

export function draftIn(query: URLSearchParams): Draft {
  const given = Object.keys(emptyDraft).flatMap((key) => (query.has(key) ? [[key, query.get(key)!]] : []))
  const draft = { ...emptyDraft, ...(Object.fromEntries(given) as Partial<Draft>) }
  return {
    ...draft,
    source: draft.source in sourceKinds ? draft.source : 'git',
    apply: draft.apply === 'approval' ? 'approval' : 'auto',
  }
}

/** The fields that differ from an empty form; empty texts for the others. */
export function draftQuery(draft: Draft): Readonly<Record<string, string>> {
  const entries = Object.entries(draft) as readonly (readonly [keyof Draft, string])[]
  return Object.fromEntries(entries.map(([key, text]) => [key, text === emptyDraft[key] ? '' : text]))
}

export function documentOf({ name, target, interval, apply, ...draft }: Draft): StackDocument {
  return { name, target, sources: [sourceOf(draft)], interval, apply }
}

function sourceOf({
  source,
  from,
  ref,
  path,
}: Pick<Draft, 'source' | 'from' | 'ref' | 'path'>): StackDocument['sources'][number] {
  const inside = path === '' ? {} : { path }
  switch (source) {
    case 'git':
      return { kind: 'git', url: from, ...inside, ...(ref !== '' && { ref }) }
    case 'url':
      return { kind: 'url', url: from, ...inside }
    case 'directory':
      return { kind: 'directory', directory: from }
    case 'inline':
      return { kind: 'inline' }
  }
}

const sourceOptions = { git: '--repo', url: '--url', directory: '--dir', inline: '--inline' }

/** Without settings that have their default. */
export function commandLine({ name, source, from, ref, path, target, interval, apply }: Draft): string {
  const words = [sourceOptions[source]]
  if (source !== 'inline') words.push(from === '' ? 'ADDRESS' : shellWord(from))
  const option = (word: string, text: string, isGiven: boolean): void => {
    if (isGiven) words.push(word, shellWord(text))
  }
  option('--ref', ref, source === 'git' && ref !== '')
  option('--path', path, (source === 'git' || source === 'url') && path !== '')
  option('--target', target, target !== emptyDraft.target)
  option('--interval', interval, interval !== emptyDraft.interval)
  option('--apply', apply, apply !== emptyDraft.apply)
  return `gitmoor stack create ${name === '' ? 'NAME' : shellWord(name)} ${words.join(' ')}`
}
