// Short forms of revisions, times, durations, causes and counts.
import { printable } from '../../lib/printable.js'
import { sourceRevisions } from '../../model/revision.js'
import type { Cause } from '../../model/run.js'
import type { Counts } from '../../model/change.js'

/** `stable@2f1c9ab` for `stable@sha1:2f1c9ab…`, joined by commas for several sources; `-` for no revision. */
export function shortRevision(revision: string | null | undefined): string {
  if (revision === null || revision === undefined || revision === '') return '-'
  return sourceRevisions(revision).map(shortSourceRevision).join(',')
}

function shortSourceRevision(part: string): string {
  const match = /^(?:(.*)@)?(?:sha1:|sha256:)?([0-9a-f]{7})[0-9a-f]{33,57}$/s.exec(part)
  if (match === null) return printable(part)
  return match[1] === undefined ? match[2]! : `${printable(match[1])}@${match[2]!}`
}

/** `2026-11-21 04:00:12Z`: always UTC, so that lines of several machines are comparable. */
export function showTime(time: string | null): string {
  return time === null ? '-' : printable(time.replace('T', ' ').replace(/\.\d+Z$/, 'Z'))
}

/** `3m ago`, `in 20s`. `time` is RFC 3339, `now` milliseconds since the epoch. */
export function age(time: string | null, now: number): string {
  if (time === null) return '-'
  const ms = now - Date.parse(time)
  if (Number.isNaN(ms)) return printable(time)
  return ms < 0 ? `in ${span(-ms)}` : `${span(ms)} ago`
}

/** One number and one unit: `42s`, `3m`, `5h`, `12d`. */
export function span(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** The time between two times: `0.42 s`; '' if one is unknown. */
export function elapsedText(from: string | null, to: string | null): string {
  const ms = from === null || to === null ? Number.NaN : Date.parse(to) - Date.parse(from)
  return Number.isNaN(ms) ? '' : ms < 60_000 ? `${(ms / 1000).toFixed(ms < 9_950 ? 2 : 0)} s` : span(ms)
}

/** The cause of a run: `tag stable moved from stable@2f1c9ab to stable@81d0c3e`. */
export function causeText(cause: Cause): string {
  const words = causeWords(cause)
  const by = cause.by === undefined ? '' : ` by ${cause.by === 'file' ? 'the configuration file' : printable(cause.by)}`
  const note = cause.note === undefined || cause.note === '' ? '' : `: ${printable(cause.note)}`
  const overrode = cause.overrode === undefined ? '' : `; overrode a blocker: ${printable(cause.overrode)}`
  const override =
    cause.overrideWindow === undefined ? '' : `; overrode a closed window: ${printable(cause.overrideWindow)}`
  return `${words}${by}${note}${overrode}${override}`
}

/** A revision with the tag that was chosen from a version range. */
export function withTag(revision: string, tag: string | null | undefined): string {
  return tag == null ? revision : `${revision} (${printable(tag)})`
}

function causeWords(cause: Cause): string {
  const ref = cause.ref === undefined ? '' : ` ${printable(cause.ref)}`
  const from = cause.from === undefined ? '' : ` from ${shortRevision(cause.from)}`
  const to = cause.to === undefined ? '' : ` to ${shortRevision(cause.to)}`
  const words: Readonly<Record<Cause['kind'], string>> = {
    created: 'created',
    commit: `new commit on${ref === '' ? ' its ref' : ref}${from}${to}`,
    'tag-moved':
      cause.tag === undefined
        ? `tag${ref} moved${from}${to}`
        : `${printable(cause.tag)} is the highest version in${ref}, moved${from}${to}`,
    'directory-changed': 'directory changed',
    'url-changed': 'file at the URL changed',
    schedule: 'schedule',
    drift: 'drift',
    person: 'requested',
    retry: 'retry',
    recovery: 'recovery after an interruption',
  }
  return words[cause.kind]
}

/** `+1 ~2 -0`; `-` if unknown. */
export function shortCounts(counts: Counts | null): string {
  return counts === null ? '-' : `+${counts.create} ~${counts.update} -${counts.remove}`
}
