// `limits` of the configuration file: what each limits, and what happens beyond it. docs/reference/limits.md is made
// from this.
import { z } from 'zod'
import { intervalPattern, parseInterval } from '../settings/interval.js'
import { parseSize } from '../settings/size.js'
import { strictObject } from '../settings/strict-object.js'

/** What a person is told of a limit. */
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

function time(standard: string, words: LimitText) {
  const { least, most } = anyTime
  return z
    .string()
    .regex(intervalPattern, 'must be a whole number and a unit: 30s, 2m, 1h.')
    .refine(inside(parseInterval, anyTime), `must be between ${least} and ${most}.`)
    .default(standard)
    .meta({ default: standard, ...anyTime, ...words })
}

function size(standard: string, most: string, { least = '1KiB', ...words }: LimitText & Partial<Pick<Range, 'least'>>) {
  const range: Range = { least, most }
  return z
    .string()
    .refine((text) => parseSize(text) !== undefined, 'must be a whole number and a unit: 512KiB, 32MiB, 1GiB.')
    .refine(inside(parseSize, range), `must be between ${range.least} and ${most}.`)
    .default(standard)
    .meta({ default: standard, ...range, ...words })
}

function count(standard: number, most: number, words: LimitText) {
  const note = { default: standard.toLocaleString('en'), least: '1', most: most.toLocaleString('en') }
  return z
    .int()
    .min(1)
    .max(most)
    .default(standard)
    .meta({ ...note, ...words })
}

/** True for what cannot be read: another check says so. */
function inside(parse: (text: string) => number | undefined, { least, most }: Range): (text: string) => boolean {
  return (text) => {
    const value = parse(text)
    return value === undefined || (value >= parse(least)! && value <= parse(most)!)
  }
}

const retried = 'tried again by itself'
const waitsForChange = 'the run fails and waits for another revision or setting; what was applied stays'

export const limitsDocument = strictObject({
  gitRequest: time('30s', {
    bounds: 'Silence of a server.',
    beyond: `\`source/timeout\`: the look or the fetch fails and is ${retried}.`,
  }),
  fetch: time('2m', { bounds: 'One whole look or fetch.', beyond: `\`source/timeout\`: it fails and is ${retried}.` }),
  driverCall: time('30s', {
    bounds: 'One request to a target.',
    beyond: `\`platform/timeout\`: it counts as not answered, what was done is undone or goes on later, as the stack says.`,
  }),
  run: time('30m', {
    bounds: 'One run of a stack.',
    beyond: `The run ends \`interrupted\` and is ${retried}; nothing begins after that.`,
  }),
  packBytes: size('32MiB', '1GiB', {
    bounds:
      'What a git server sends for one commit: all its files, whatever the path, without what is here already. An archive behind a URL.',
    beyond: `\`source/pack-too-large\`, of an archive \`source/file-too-large\`: nothing of it is kept; ${waitsForChange}.`,
  }),
  refsBytes: size('16MiB', '1GiB', {
    bounds:
      "A server's answer to one look: the refs that begin as those that are followed. Of a repository on this machine, also all refs that are files.",
    beyond: `\`source/refs-too-large\`: the look fails and is ${retried}.`,
  }),
  fileBytes: size('4MiB', '256MiB', {
    bounds: 'One file of a package.',
    beyond: `\`source/file-too-large\`, before it is read; ${waitsForChange}.`,
  }),
  totalBytes: size('64MiB', '1GiB', {
    bounds: 'All files of a package.',
    beyond: `\`source/files-too-large\` or \`package/too-large\`; ${waitsForChange}.`,
  }),
  files: count(10_000, 1_000_000, {
    bounds: 'Files of a package.',
    beyond: `\`source/too-many-files\`, before any is read; ${waitsForChange}.`,
  }),
  depth: count(32, 256, {
    bounds: 'Folders in folders of a package.',
    beyond: `\`source/too-deep\`; ${waitsForChange}.`,
  }),
  documents: count(20_000, 1_000_000, {
    bounds: 'Documents of a package.',
    beyond: `\`package/too-large\`; ${waitsForChange}.`,
  }),
  runsKept: count(100, 1_000_000, {
    bounds: 'Runs that changed nothing, of each stack. Others are always kept.',
    beyond: 'The oldest are forgotten.',
  }),
  revisionsKept: count(20, 10_000, {
    bounds: 'Applied revisions whose files are kept, of each stack.',
    beyond: 'A roll back to an older run is refused.',
  }),
  remote: time('30s', {
    bounds: 'One fetch of a package that a request names by its address.',
    beyond: '`source/timeout`: the request is refused.',
  }),
  remoteBytes: size('2MiB', '256MiB', {
    bounds: 'Such a package.',
    beyond: '`source/file-too-large`: the request is refused, and nothing more is read.',
  }),
  remoteRedirects: count(5, 20, {
    bounds: 'Redirects on the way to one.',
    beyond: '`source/redirected`: the request is refused.',
  }),
  evaluation: time('5s', {
    bounds: 'Evaluating the Jsonnet of a package.',
    beyond: `\`sandbox/time\`; ${waitsForChange}.`,
  }),
  evaluationMemory: size('256MiB', '4GiB', {
    bounds: 'Memory of the process that evaluates it.',
    beyond: `\`sandbox/memory\`; ${waitsForChange}.`,
    least: '96MiB',
  }),
  evaluationBytes: size('8MiB', '64MiB', {
    bounds: 'What it evaluates to.',
    beyond: `\`sandbox/output\`; ${waitsForChange}.`,
  }),
  webhookBytes: size('1MiB', '25MiB', {
    bounds: 'What a webhook is sent.',
    beyond: '413 as soon as it is more; nothing of it is kept.',
  }),
  templateBytes: size('64MiB', '1GiB', {
    bounds: 'A body of a request below `/api/v2`, unpacked.',
    beyond: '413 as soon as it is more; nothing of it is kept.',
  }),
  pollsPerHost: count(10, 10_000, {
    bounds: 'Looks a second at one host, whatever its remotes; five times as many at once after a pause.',
    beyond: 'They wait their turn, which `doctor` and `gitmoor_looks_delayed` tell; what a person asks for goes first.',
  }),
  concurrency: count(16, 256, { bounds: 'Runs at the same time.', beyond: 'Others wait their turn.' }),
})
