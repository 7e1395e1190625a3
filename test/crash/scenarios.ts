// The situations in which a process is killed: packages before and after, and what a target refuses.
import { callText, type Around, type Call } from './watched.js'
import { Rejected } from '../../src/model/errors.js'

type Doc = Readonly<Record<string, unknown>>

export interface Scenario {
  /** Applied before; absent: a first apply. */
  readonly before?: readonly Doc[]
  readonly after: readonly Doc[]
  /** The packages of another stack of the target, which is synced at the same time. */
  readonly beside?: { readonly before: readonly Doc[]; readonly after: readonly Doc[] }
  /** What the target refuses from then on. */
  readonly refuses?: (call: Call) => boolean
  /** The call after which an earlier process was killed: `create Dashboard Ops`. */
  readonly endedAfter?: string
  /** The target creates resources incomplete: an update must follow. */
  readonly halfMade?: true
  readonly outcome: 'applied' | 'undone'
}

function label(meta: string, name: string, color = '#1f6feb'): Doc {
  return document('Label', meta, { name, color })
}

function bucket(meta: string, name: string, { description = '', labels = [] as readonly string[] } = {}): Doc {
  return document('Bucket', meta, { name, description, associations: associations(labels) })
}

function dashboard(meta: string, name: string, { description = '', labels = [] as readonly string[] } = {}): Doc {
  return document('Dashboard', meta, { name, description, associations: associations(labels) })
}

function task(
  meta: string,
  name: string,
  { query = 'from(bucket: "raw")', labels = [] as readonly string[] } = {},
): Doc {
  return document('Task', meta, { name, every: '1h', query, associations: associations(labels) })
}

function associations(labels: readonly string[]): readonly Doc[] {
  return labels.map((name) => ({ kind: 'Label', name }))
}

function document(kind: string, name: string, spec: Doc): Doc {
  return { kind, metadata: { name }, spec }
}

export function packageText(documents: readonly Doc[], apiVersion: string): string {
  const complete = documents.map((document) => ({ apiVersion, ...document }))
  return `${JSON.stringify(complete, null, 2)}\n`
}

const base = [
  label('red', 'Red'),
  label('blue', 'Blue'),
  bucket('raw', 'Raw', { labels: ['red'] }),
  bucket('other', 'Other'),
  bucket('last', 'Last'),
  dashboard('ops', 'Ops', { labels: ['red'] }),
  dashboard('extra', 'Extra', { labels: ['blue'] }),
  task('rollup', 'Rollup', { labels: ['blue'] }),
]

const updated = [
  label('red', 'Red', '#d73a49'),
  label('blue', 'Blue'),
  bucket('raw', 'Raw', { description: 'As it comes in', labels: ['red', 'blue'] }),
  bucket('other', 'Others'),
  bucket('last', 'Last'),
  dashboard('ops', 'Operations', { labels: ['red'] }),
  dashboard('extra', 'Extra', { labels: ['blue'] }),
  task('rollup', 'Rollup', { query: 'from(bucket: "others")', labels: ['blue'] }),
]

const removed = [
  label('red', 'Red'),
  bucket('raw', 'Raw', { labels: ['red'] }),
  bucket('other', 'Other'),
  dashboard('ops', 'Ops', { labels: ['red'] }),
  task('rollup', 'Rollup'),
]

const moved = [
  label('crimson', 'Red', '#d73a49'),
  label('blue', 'Blue'),
  bucket('measurements', 'Raw', { labels: ['crimson'] }),
  bucket('other', 'Other'),
  bucket('last', 'Last'),
  dashboard('ops', 'Ops', { labels: ['crimson'] }),
  dashboard('extra', 'Extra', { labels: ['blue'] }),
  task('rollup', 'Rollup', { labels: ['blue'] }),
]

/** Something of everything; its last step, the removal of the bucket `last`, is refused. */
const everything = [
  label('red', 'Red', '#d73a49'),
  label('green', 'Green'),
  bucket('raw', 'Raw', { description: 'As it comes in', labels: ['red', 'green'] }),
  bucket('others', 'Other'),
  dashboard('ops', 'Operations', { labels: ['red'] }),
  dashboard('fresh', 'Fresh', { labels: ['green'] }),
  task('rollup', 'Rollup', { query: 'from(bucket: "other")' }),
]

/** Updates of what it alone owns: such runs share their target. */
const beside = {
  before: [label('green', 'Green'), bucket('cold', 'Cold'), task('report', 'Report')],
  after: [
    label('green', 'Green', '#d73a49'),
    bucket('cold', 'Cold', { description: 'Kept for years' }),
    task('report', 'Report', { query: 'from(bucket: "cold")' }),
  ],
}

const recoloured = [label('red', 'Red', '#d73a49'), ...base.slice(1)]

const keepsLast = refusing('remove Bucket Last')
const undo = { before: base, after: everything, refuses: keepsLast, outcome: 'undone' } as const

export const scenarios = {
  'a first apply': { after: base, outcome: 'applied' },
  'an update': { before: base, after: updated, outcome: 'applied' },
  'a removal': { before: base, after: removed, outcome: 'applied' },
  'a move': { before: base, after: moved, outcome: 'applied' },
  'an update beside that of another stack': { before: base, after: recoloured, beside, outcome: 'applied' },
  'an undo': undo,
  'an undo that is partly refused': {
    ...undo,
    refuses: refusing('remove Bucket Last', 'remove Dashboard Fresh', 'create Label Blue'),
  },
  'a recovery after a lost create': { after: base, endedAfter: 'create Dashboard Ops', outcome: 'applied' },
  'an undo after a lost create': { ...undo, endedAfter: 'create Dashboard Fresh' },
  'an undo that continues after a resource was created again': { ...undo, endedAfter: 'create Dashboard Extra' },
  'a first apply with incomplete creates': { after: base, halfMade: true, outcome: 'applied' },
  'an undo of incomplete creates': { ...undo, halfMade: true },
} satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

function refusing(...texts: readonly string[]): (call: Call) => boolean {
  return (call) => texts.includes(callText(call))
}

/** The target refuses the calls of the scenario. */
export function refuse({ refuses }: Scenario): Around {
  return (call, make) => {
    if (refuses?.(call) !== true) return make()
    return Promise.reject(new Rejected(`The target refused to ${callText(call)}.`, { code: 'platform/refused' }))
  }
}
