// Objects without unknown keys: the error says which key was probably meant, or where the key belongs.
import { z } from 'zod'
import { quoted } from '../../lib/text/printable.js'
import { didYouMean, suggestion } from '../did-you-mean.js'

/** The unknown keys and problems of one document that are listed; the rest are counted. */
export const mostSchemaProblems = 100

/** Keys of one meaning that documents have under different names. */
const sameMeaning: ReadonlyMap<string, string> = new Map([
  ['repo', 'url'],
  ['url', 'repo'],
])

/** The message about an unknown key. `place`: of a key of that name elsewhere in the document. */
function unknownKeyMessage(key: string, known: readonly string[], place?: string): string {
  const unknown = `Unknown key ${quoted(key)}`
  if (place !== undefined) return `${unknown}. It belongs at "${place}".`
  const other = known.find((one) => one === sameMeaning.get(key))
  const question = other === undefined ? didYouMean(key, known) : suggestion(other)
  if (question !== undefined) return `${unknown}. ${question}`
  if (known.length === 0) return `${unknown}: no keys are allowed here.`
  return `${unknown}: known keys are ${known.join(', ')}.`
}

/** Like `z.strictObject`, with its own message: one line for each of the first unknown keys, in the order of `keys`. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape)
  const message = (key: string): string => unknownKeyMessage(key, known, placeOfKey(key, schema))
  const schema: z.ZodObject<Shape, z.core.$strict> = z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.slice(0, mostSchemaProblems).map(message).join('\n') : undefined,
  })
  return schema
}

type Below = readonly (readonly [step: string, schema: z.core.$ZodType])[]

/** `stacks[].sources[].ref`: where a schema has a key of that name, the place nearest to its top. */
function placeOfKey(key: string, schema: z.core.$ZodType): string | undefined {
  const seen = new Set<z.core.$ZodType>()
  for (let level: Below = [['', schema]]; level.length > 0;) {
    const fresh = level.filter(([, one]) => !seen.has(one))
    for (const [, one] of fresh) seen.add(one)
    level = fresh.flatMap(([place, one]) => schemasBelow(one).map(([step, next]) => [place + step, next] as const))
    const found = level.find(([place]) => place.endsWith(`.${key}`))
    if (found !== undefined) return found[0].slice(1)
  }
  return undefined
}

function schemasBelow(schema: z.core.$ZodType): Below {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') return Object.entries(def.shape).map(([key, value]) => [`.${key}`, value])
  if (def.type === 'array') return [['[]', def.element]]
  if (def.type === 'record') return [['.*', def.valueType]]
  if (def.type === 'union') return def.options.map((option) => ['', option])
  if (def.type === 'pipe') return [def.in, def.out].map((side) => ['', side])
  return 'innerType' in def ? [['', def.innerType]] : []
}
