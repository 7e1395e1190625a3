// Short forms of revisions, times, durations, numbers and counts.
import { printable } from '../../lib/text/printable.js'
import { shortRevision as shorten, type Versions } from '../../model/sources/revision.js'
import type { Counts } from '../../model/resources/change.js'

/**
 * `stable@2f1c9ab` for `stable@sha1:2f1c9ab…`, `^1.2 → v1.4.0@2f1c9ab` for a version range; `-` for no revision.
 */
export function shortRevision(revision: string | null | undefined, versions?: Versions): string {
  return revision === null || revision === undefined || revision === '' ? '-' : printable(shorten(revision, versions))
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

/** A short commit with the tag that a version range chose: `v1.4.0@2f1c9ab`. */
export function withTag(commit: string, tag: string | null | undefined): string {
  return tag == null ? commit : `${printable(tag)}@${commit}`
}

/** `1 stack`, `2 stacks`. */
export function numberOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** `+1 ~2 -0`; `-` if unknown. */
export function shortCounts(counts: Counts | null): string {
  return counts === null ? '-' : `+${counts.create} ~${counts.update} -${counts.remove}`
}

/** The name for a new stack in place of a deleted one: only fleets make names with a dot. */
export function creatableName(name: string): string {
  return name.replaceAll('.', '-')
}
