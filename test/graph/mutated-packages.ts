// Packages of the corpus as nobody should write them: the same ones for the same seed.
import { readPackage } from '../../src/package/package.js'
import { corpusRows, corpusText } from '../corpus.js'
import { Dice } from '../random/dice.js'
import { file } from './read-texts.js'

type Value = unknown

/** Is copied into JSON as it is: numbers that JSON.stringify would write otherwise. */
const raw = (text: string): string => `\u0001${text}\u0001`

const odd: readonly Value[] = [
  null,
  true,
  0,
  -1,
  0.1,
  raw('1e+08'),
  raw('-0'),
  raw('1e400'),
  raw('9223372036854775808'),
  raw('0.30000000000000004'),
  '',
  ' ',
  '0',
  '1h',
  '-5d',
  '99999999y',
  'é\u202e\u0007\u0000',
  '\ud800',
  'x'.repeat(5_000),
  [],
  [[[]]],
  [null],
  {},
  { envRef: { key: 'k' } },
  { envRef: { key: 'k', default: { envRef: { key: 'k' } } } },
  { envRef: { envRef: { key: 'k' } } },
  { envRef: null },
  { secretRef: { key: 's' } },
  { secretRef: { key: { secretRef: { key: 's' } } } },
  { kind: 'Label', name: 'nobody' },
  [{ kind: 'Bucket', name: 'x' }, { kind: 'Label' }, 'Label', null],
]

const keys = [
  'name',
  'kind',
  'spec',
  'metadata',
  'apiVersion',
  'associations',
  'charts',
  'params',
  'task',
  'every',
  '__proto__',
  'constructor',
  'a/b~c',
  '',
]

function mutated(value: Value, dice: Dice): Value {
  if (typeof value !== 'object' || value === null || dice.chance(10)) return dice.pick(odd)
  const entries = Object.entries(value)
  const at = dice.below(Math.max(1, entries.length))
  const [key, inner] = entries[at] ?? ['', null]
  const how = dice.below(12)
  if (how === 0) entries.splice(at, 1)
  else if (how === 1) entries.push([dice.pick(keys), dice.pick(odd)])
  else if (how === 2) entries.splice(at, 0, [key, inner])
  else if (how === 3) entries[at] = [dice.pick(keys), inner]
  else if (entries.length > 0) entries[at] = [key, mutated(inner, dice)]
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}

function documentsOf(path: string, text: string): readonly Value[] {
  return readPackage([file(path, text)]).value.map(({ body }) => body)
}

const texts = corpusRows('yaml', 'json').map((row) => ({ path: row.path, text: corpusText(row) }))
const bodies = new Map<string, readonly Value[]>()

export interface MutatedPackage {
  readonly path: string
  readonly text: string
}

/** One or more values of a package are others. `most`: characters of the package. */
export function mutatedPackage(seed: number, most = Number.POSITIVE_INFINITY): MutatedPackage {
  const dice = new Dice(seed)
  const { path, text: original } = dice.pick(texts.filter(({ text }) => text.length <= most))
  if (!bodies.has(path)) bodies.set(path, documentsOf(path, original))
  let value: Value = bodies.get(path)
  for (let times = 1 + dice.below(3); times > 0; times--) value = mutated(value, dice)
  // An unwritten value leaves an empty text.
  const text = (JSON.stringify(value) ?? '').replaceAll(/"\\u0001([^"\\]*)\\u0001"/g, '$1')
  return { path: `${path.replaceAll('/', '-')}.json`, text }
}

// oxfmt-ignore
const marks = [
  '&a ', '*a', '&a [*a]', '{<<: *a}', '? ', '- ', ': ', '\n', '\t', '  ', '---\n', '...\n', '"', "'", '|', '>-\n',
  '!!binary ', '!x ', '#', '.inf', '.nan', '0x1F', '1e+08', '~', '[', ']', '{', '}', '\u0000', '\u2028', '\u202e',
  '%YAML 9\n',
]

/** A text of the corpus with marks of YAML where they do not belong. `most`: characters of the text. */
export function mutatedText(seed: number, most = Number.POSITIVE_INFINITY): MutatedPackage {
  const dice = new Dice(seed)
  const { path, text: original } = dice.pick(
    texts.filter((one) => one.path.endsWith('.yml') && one.text.length <= most),
  )
  let text = original
  for (let times = 1 + dice.below(4); times > 0; times--) {
    const at = dice.below(text.length + 1)
    text = text.slice(0, at) + dice.pick(marks) + text.slice(at + dice.below(8))
  }
  return { path: path.replaceAll('/', '-'), text }
}
