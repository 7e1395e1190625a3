// `limits` of the configuration file, each declared once: its range, its default, what it limits, and what happens
// beyond it. docs/reference/limits.md is made from this.
import { z } from 'zod'
import { groupDigits } from '../lib/text/group-digits.js'
import type { Json } from '../model/json.js'
import { intervalText, textWithUnit, unitMessage } from '../settings/schema/checked-text.js'
import { parseInterval } from '../settings/schema/interval.js'
import { strictObject } from '../settings/schema/strict-object.js'

/** The description of a limit. */
export interface LimitNote {
  readonly default: string
  readonly least: string
  readonly most: string
  readonly bounds: string
  readonly beyond: string
}

type Range = Pick<LimitNote, 'least' | 'most'>
type LimitText = Pick<LimitNote, 'bounds' | 'beyond'>

const anyTime: Range = { least: '100ms', most: '1d' }

/** Stays text, so that `toLimits` adds the unit to its name. */
function time(standard: string, words: LimitText) {
  const { least, most } = anyTime
  return intervalText('30s, 2m, 1h')
    .refine(inside(parseInterval, anyTime), `must be between ${least} and ${most}.`)
    .default(standard)
    .meta({ default: standard, ...anyTime, ...words })
}

function size(standard: string, most: string, { least = '1KiB', ...words }: LimitText & Partial<Pick<Range, 'least'>>) {
  const range: Range = { least, most }
  const examples = '512KiB, 32MiB, 1GiB'
  return textWithUnit(examples)
    .refine((text) => parseSize(text) !== undefined, unitMessage(examples))
    .refine(inside(parseSize, range), `must be between ${range.least} and ${most}.`)
    .default(standard)
    .transform((text) => parseSize(text)!)
    .meta({ default: standard, ...range, ...words })
}

function count(standard: number, most: number, words: LimitText) {
  const note = { default: groupDigits(standard), least: '1', most: groupDigits(most) }
  return z
    .int()
    .min(1)
    .max(most)
    .default(standard)
    .meta({ ...note, ...words })
}

const bytesOf: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }
const sizePattern = /^(\d{1,9})(B|KiB|MiB|GiB)$/

/** Bytes of `32MiB`; undefined: invalid. */
function parseSize(text: string): number | undefined {
  const match = sizePattern.exec(text)
  return match ? Number(match[1]) * (bytesOf[match[2] ?? ''] ?? 1) : undefined
}

/** `32MiB` of a limit that is a size, as a file has it; other values stay. */
export function limitAsWritten(key: string, value: Json): Json {
  const standard = limitsDocument.shape[key as keyof typeof limitsDocument.shape]?.meta()?.['default']
  if (typeof value !== 'number' || typeof standard !== 'string' || parseSize(standard) === undefined) return value
  const [unit, bytes] = Object.entries(bytesOf).findLast(([, one]) => value % one === 0)!
  return `${value / bytes}${unit}`
}

/** True for what cannot be read: another check says so. */
function inside(parse: (text: string) => number | undefined, { least, most }: Range): (text: string) => boolean {
  return (text) => {
    const value = parse(text)
    return value === undefined || (value >= parse(least)! && value <= parse(most)!)
  }
}

const retries = 'gitmoor retries.'
const waits = 'the run fails until a new revision or setting, and the applied revision stays.'

export const limitsDocument = strictObject({
  gitRequest: time('30s', { bounds: 'Time without any data from a server.', beyond: `\`source/timeout\`; ${retries}` }),
  fetch: time('2m', { bounds: 'One poll or fetch.', beyond: `\`source/timeout\`; ${retries}` }),
  driverCall: time('30s', {
    bounds: 'One request to a target.',
    beyond: '`platform/timeout`; gitmoor reverts the completed changes or keeps them, as `onFailure` says.',
  }),
  run: time('30m', {
    bounds: 'One run of a stack.',
    beyond: 'The run ends as `interrupted`, and gitmoor recovers it.',
  }),
  packBytes: size('32MiB', '1GiB', {
    bounds: 'Data that a git server sends for one commit, or an archive behind a URL.',
    beyond: `\`source/pack-too-large\`, for an archive \`source/file-too-large\`; ${waits}`,
  }),
  refsBytes: size('16MiB', '1GiB', {
    bounds: "A server's list of refs at one poll. For a local repository, also all refs that are files.",
    beyond: `\`source/refs-too-large\`; ${retries}`,
  }),
  fileBytes: size('4MiB', '256MiB', {
    bounds: 'One file of a package.',
    beyond: `\`source/file-too-large\`, before gitmoor reads it; ${waits}`,
  }),
  totalBytes: size('64MiB', '1GiB', {
    bounds: 'All files of a package.',
    beyond: `\`source/files-too-large\` or \`package/too-large\`; ${waits}`,
  }),
  files: count(10_000, 1_000_000, {
    bounds: 'Files of a package.',
    beyond: `\`source/too-many-files\`, before gitmoor reads any; ${waits}`,
  }),
  depth: count(32, 256, { bounds: 'Nested folders of a package.', beyond: `\`source/too-deep\`; ${waits}` }),
  documents: count(20_000, 1_000_000, {
    bounds: 'Documents of a package.',
    beyond: `\`package/too-large\`; ${waits}`,
  }),
  runsKept: count(100, 1_000_000, {
    bounds:
      'Runs of each stack that changed nothing; those with the cause `drift` count apart. Others are always kept.',
    beyond: 'gitmoor deletes the oldest.',
  }),
  revisionsKept: count(20, 10_000, {
    bounds: 'Applied revisions of each stack whose files are kept.',
    beyond: 'A rollback to an older run is refused.',
  }),
  remote: time('30s', {
    bounds: 'One fetch of a package that a request names by URL.',
    beyond: '`source/timeout`: the request is refused.',
  }),
  remoteBytes: size('2MiB', '256MiB', {
    bounds: 'Such a package.',
    beyond: '`source/file-too-large`: the request is refused.',
  }),
  remoteRedirects: count(5, 20, {
    bounds: 'Redirects to such a package.',
    beyond: '`source/redirected`: the request is refused.',
  }),
  evaluation: time('5s', { bounds: 'Evaluation of the Jsonnet of a package.', beyond: `\`sandbox/time\`; ${waits}` }),
  evaluationMemory: size('256MiB', '4GiB', {
    bounds: 'Memory of the evaluator.',
    beyond: `\`sandbox/memory\`; ${waits}`,
    least: '96MiB',
  }),
  evaluationBytes: size('8MiB', '64MiB', {
    bounds: 'Result of the evaluation.',
    beyond: `\`sandbox/output\`; ${waits}`,
  }),
  webhookBytes: size('1MiB', '25MiB', { bounds: 'Body of a webhook delivery.', beyond: 'The answer is 413.' }),
  templateBytes: size('64MiB', '1GiB', {
    bounds: 'Body of a request to `/api/v2/templates/apply`, unpacked.',
    beyond: 'The answer is 413.',
  }),
  pollsPerHost: count(10, 10_000, {
    bounds: 'Polls of one host per second, for all its remotes; five times as many at once after a pause.',
    beyond: 'gitmoor throttles polls of this host; `gitmoor doctor` shows it. Manual commands go first.',
  }),
  concurrency: count(16, 256, { bounds: 'Runs at the same time.', beyond: 'Further runs are queued.' }),
})

type LimitsDocument = z.output<typeof limitsDocument>

/** The limits by name: times are in milliseconds and end with `Ms`. */
export type Limits = {
  readonly [Key in keyof LimitsDocument as LimitsDocument[Key] extends string ? `${Key}Ms` : Key]: number
}

export function toLimits(document: LimitsDocument): Limits {
  const entries = Object.entries(document).map(([key, value]) =>
    typeof value === 'string' ? [`${key}Ms`, parseInterval(value)] : [key, value],
  )
  return Object.fromEntries(entries) as Limits
}
