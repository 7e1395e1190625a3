// Short forms of what the API answers.

/** The commit of `stable@sha1:…`; undefined: the revision is no commit. */
export function commitIn(revision: string | null | undefined): string | undefined {
  return /sha1:([0-9a-f]{40})/.exec(revision ?? '')?.[1]
}

/** `09ea903`, or the first characters of another digest. */
export function shortRevision(revision: string | null | undefined): string {
  if (revision === null || revision === undefined || revision === '') return 'nothing'
  return commitIn(revision)?.slice(0, 7) ?? revision.replace(/^.*sha256:/, '').slice(0, 7)
}

/** Full hashes in a sentence become short, ISO times lose their seconds. */
export function tidy(sentence: string): string {
  return sentence
    .replace(/`([^`]*)`/g, '$1')
    .replace(/\b[\w./-]+@sha1:([0-9a-f]{7})[0-9a-f]{33}/g, '$1')
    .replace(/\b([0-9a-f]{7})[0-9a-f]{33}\b/g, '$1')
    .replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z/g, '$1 $2 UTC')
}

/** `fleet` of `https://example.com/acme/fleet.git`. */
export function repositoryName(url: string): string {
  return (
    url
      .replace(/\.git\/?$/, '')
      .split(/[/:]/)
      .filter(Boolean)
      .at(-1) ?? url
  )
}

/** `stable of fleet`, of `https://example.com/acme/fleet.git#stable`. */
export function channelText(name: string): string {
  const at = name.indexOf('#')
  return at < 0 ? name : `${name.slice(at + 1)} of ${repositoryName(name.slice(0, at))}`
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `fleet/billing` of `https://example.com/acme/fleet.git//billing`. */
export function packageName(location: string): string {
  const at = location.lastIndexOf('//')
  const hasPath = at > location.indexOf('://') + 2
  const [url, path] = hasPath ? [location.slice(0, at), location.slice(at + 2)] : [location, '']
  return [repositoryName(url.replace(/\/$/, '')), path].filter((part) => part !== '').join('/')
}

/** `1 stack`, `3 stacks`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? noun : plural}`
}

/** The middle is cut: the end of a name is often what differs. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(text.length - Math.floor(most / 2))}`
}

/** The short forms of the names of one list. Where several would be the same, what differs stays visible. */
export function cutNames(names: readonly string[], most: number): ReadonlyMap<string, string> {
  const alike = new Map<string, string[]>()
  for (const name of new Set(names)) {
    const cut = cutMiddle(name, most)
    alike.set(cut, [...(alike.get(cut) ?? []), name])
  }
  return new Map(
    [...alike].flatMap(([cut, some]) =>
      some.map((name) => [name, some.length === 1 ? cut : cutAround(name, some, most)]),
    ),
  )
}

/** Keeps the beginning of a name and what differs among the names. */
function cutAround(name: string, names: readonly string[], most: number): string {
  const [start, end] = differing(name, names)
  const kept = cutMiddle(name.slice(start, end), most - 2)
  const room = most - 2 - kept.length
  const before = name.slice(0, Math.min(start, Math.ceil(room / 2)))
  const after = name.slice(Math.max(end, name.length - room + before.length))
  return [before, kept, after].filter(Boolean).join('…')
}

const isDigit = (character = ''): boolean => /\d/.test(character)

/** Where the part of a name is in which the names differ. Numbers are not divided. */
function differing(name: string, names: readonly string[]): readonly [start: number, end: number] {
  const shortest = Math.min(...names.map(({ length }) => length))
  let start = 0
  while (start < shortest && names.every((other) => other[start] === name[start])) start++
  while (start > 0 && isDigit(name[start - 1])) start--
  let same = 0
  while (same < shortest - start && names.every((other) => other.at(-1 - same) === name.at(-1 - same))) same++
  while (same > 0 && isDigit(name.at(-same))) same--
  return [start, name.length - same]
}

/** For `sort`: `t2` before `t10`. */
export const naturally = new Intl.Collator('en', { numeric: true }).compare

/** The first line of a commit message. */
export const firstLine = (message: string): string => message.split('\n', 1)[0]!

/** A word of the shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** A command line with the reason that a person typed. Lines of several stacks have it each. */
export function withReason(cli: string, why: string): string {
  return why.trim() === '' ? cli : cli.replaceAll('"REASON"', () => shellWord(why.trim()))
}

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Control and bidirectional characters become visible, as on the command line. */
export function visible(text: string): string {
  return text.replace(controls, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
