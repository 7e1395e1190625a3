// What a package declares, as the model knows it, and the random ways in which an author changes it.
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../src/model/json.js'
import type { IgnoreRule } from '../../src/model/stacks/stack.js'
import type { Dice } from './dice.js'

export type Family = 'Label' | 'Bucket' | 'Dashboard' | 'Task'

export interface Item {
  readonly family: Family
  readonly meta: string
  readonly name: string
  /** What else there is to it: a colour, a retention, a description, a query. */
  readonly value: number
  /** Metanames of labels. */
  readonly labels: readonly string[]
}

/** What is below a stack's path in a commit. */
export type Content = readonly Item[] | 'invalid' | 'empty'

const families: readonly Family[] = ['Label', 'Bucket', 'Dashboard', 'Task']
const metas = ['one', 'two', 'three', 'four']
const names = ['red', 'green', 'blue', 'grey', 'Shared A', 'shared b']
const most = 9

export function addressOf({ family, meta }: Pick<Item, 'family' | 'meta'>): string {
  return `${family}/${meta}`
}

/** Rules of a stack: what stays unless a person says so, and which fields others own. */
export const protectRules = ['Bucket/*', 'Label/*', 'Bucket/one', 'Dashboard/two', 'Task/three']
export const ignoreRules = [
  { family: 'Label', path: 'color' },
  { family: 'Dashboard', path: 'description' },
]

export function isKept(protect: readonly string[], address: string): boolean {
  return protect.includes(address) || protect.includes(`${address.slice(0, address.indexOf('/'))}/*`)
}

/** Addresses of the items and of their label mappings. */
export function addressesOf(items: readonly Item[]): ReadonlySet<string> {
  return new Set(
    items.flatMap((item) => [
      addressOf(item),
      ...item.labels.map((label) => `LabelMapping/${addressOf(item)}/${label}`),
    ]),
  )
}

/** The fields that the target shall hold, of those that a package or a hand changes. */
export function fieldsOf({ family, name, value }: Item): JsonObject {
  switch (family) {
    case 'Label':
      return { name, color: `#00000${value}` }
    case 'Bucket':
      return { name, retentionRules: [{ type: 'expire', everySeconds: 3600 * (value + 1) }] }
    case 'Dashboard':
      return { name, description: `version ${value}` }
    case 'Task':
      return { name, query: `from(bucket: "b${value}")` }
  }
}

/** The name of a live resource; '' where it has none, as label mappings. */
export function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : ''
}

/** Buckets that the target keeps for itself. */
export function isSystems(family: string, live: JsonObject): boolean {
  return family === 'Bucket' && nameOf(live).startsWith('_')
}

/** All but the fields that others own. */
export function holdsFields(live: JsonObject, item: Item, ignore: readonly IgnoreRule[] = []): boolean {
  const others = ignore.filter(({ family }) => family === item.family).map(({ path }) => path)
  return Object.entries(fieldsOf(item)).every(
    ([key, value]) => others.includes(key) || isDeepStrictEqual(live[key], value),
  )
}

/** The text of a package; undefined: no file at all. */
export function packageText(content: Content, dice: Dice, apiVersion: string): string | undefined {
  if (content === 'empty') return undefined
  if (content === 'invalid')
    return dice.chance(50)
      ? 'kind: Label\n  broken: ['
      : documentText({ ...spoilt, meta: dice.pick(metas) }, apiVersion)
  return content.map((item) => documentText(item, apiVersion)).join('')
}

const spoilt: Item = { family: 'Bucket', meta: 'one', name: 'spoilt', value: 0, labels: ['nobody-declares-this'] }

function documentText(item: Item, apiVersion: string): string {
  const associations = item.labels.map((name) => ({ kind: 'Label', name }))
  const spec = {
    ...fieldsOf(item),
    ...(item.family === 'Task' ? { every: '1h' } : {}),
    ...(associations.length > 0 ? { associations } : {}),
  }
  return `---\n${JSON.stringify({ apiVersion, kind: item.family, metadata: { name: item.meta }, spec })}\n`
}

export function firstPackage(dice: Dice): readonly Item[] {
  let items: readonly Item[] = []
  for (let i = 0; i < 6; i++) items = withNewItem(items, dice)
  return items.length === 0 ? firstPackage(dice) : items
}

/** One to three changes by an author; what comes out is a package in which nothing is wrong. */
export function edited(items: readonly Item[], dice: Dice): readonly Item[] {
  let changed = items
  for (let i = dice.below(3); i >= 0; i--) changed = dice.pick(edits)(changed, dice)
  return changed.length === 0 ? withNewItem(changed, dice) : changed
}

type Edit = (items: readonly Item[], dice: Dice) => readonly Item[]

const edits: readonly Edit[] = [
  withNewItem,
  withNewItem,
  withoutOne,
  withoutOne,
  withValue,
  withValue,
  renamed,
  moved,
  relabelled,
  relabelled,
  handedOver,
  swapped,
]

function withNewItem(items: readonly Item[], dice: Dice): readonly Item[] {
  const family = dice.pick(families)
  const free = metas.filter((meta) => !items.some((item) => item.family === family && item.meta === meta))
  const name = freeName(items, family, dice)
  if (free.length === 0 || name === undefined || items.length >= most) return items
  const labels = family === 'Label' ? [] : labelMetas(items).filter(() => dice.chance(40))
  return inOrder([...items, { family, meta: dice.pick(free), name, value: usualValue(name, dice), labels }])
}

/** Things that both stacks may declare are mostly declared alike. */
function usualValue(name: string, dice: Dice): number {
  return name.toLowerCase().startsWith('shared') && dice.chance(85) ? 0 : dice.below(4)
}

function withoutOne(items: readonly Item[], dice: Dice): readonly Item[] {
  if (items.length < 2) return items
  const gone = dice.pick(items)
  return withoutLabel(
    items.filter((item) => item !== gone),
    gone,
  )
}

function withoutLabel(items: readonly Item[], gone: Item): readonly Item[] {
  if (gone.family !== 'Label') return items
  return items.map((item) => ({ ...item, labels: item.labels.filter((label) => label !== gone.meta) }))
}

function withValue(items: readonly Item[], dice: Dice): readonly Item[] {
  const one = dice.pick(items)
  return replaced(items, one, { ...one, value: usualValue(one.name, dice) })
}

function renamed(items: readonly Item[], dice: Dice): readonly Item[] {
  const one = dice.pick(items)
  const name = freeName(items, one.family, dice)
  return name === undefined ? items : replaced(items, one, { ...one, name })
}

/** Another metaName for the same resource. */
function moved(items: readonly Item[], dice: Dice): readonly Item[] {
  const one = dice.pick(items)
  const free = metas.filter((meta) => !items.some((item) => item.family === one.family && item.meta === meta))
  if (free.length === 0) return items
  const meta = dice.pick(free)
  const relabelled =
    one.family === 'Label'
      ? items.map((item) => ({ ...item, labels: item.labels.map((label) => (label === one.meta ? meta : label)) }))
      : items
  return inOrder(relabelled.map((item) => (addressOf(item) === addressOf(one) ? { ...item, meta } : item)))
}

function relabelled(items: readonly Item[], dice: Dice): readonly Item[] {
  const bearers = items.filter(({ family }) => family !== 'Label')
  const labels = labelMetas(items)
  if (bearers.length === 0 || labels.length === 0) return items
  const one = dice.pick(bearers)
  const label = dice.pick(labels)
  const has = one.labels.includes(label)
  return replaced(items, one, {
    ...one,
    labels: has ? one.labels.filter((other) => other !== label) : [...one.labels, label],
  })
}

/** One gives its name to another: it leaves, or gets another name. */
function handedOver(items: readonly Item[], dice: Dice): readonly Item[] {
  const giver = dice.pick(items)
  const takers = items.filter((item) => item.family === giver.family && item !== giver)
  if (takers.length === 0) return items
  const taker = dice.pick(takers)
  const free = freeName(items, giver.family, dice)
  const rest =
    dice.chance(50) || free === undefined
      ? withoutLabel(
          items.filter((item) => item !== giver),
          giver,
        )
      : replaced(items, giver, { ...giver, name: free })
  return rest.map((item) => (addressOf(item) === addressOf(taker) ? { ...item, name: giver.name } : item))
}

function swapped(items: readonly Item[], dice: Dice): readonly Item[] {
  const one = dice.pick(items)
  const others = items.filter((item) => item.family === one.family && item !== one)
  if (others.length === 0 || dice.chance(60)) return items
  const other = dice.pick(others)
  return replaced(replaced(items, one, { ...one, name: other.name }), other, { ...other, name: one.name })
}

function replaced(items: readonly Item[], old: Item, item: Item): readonly Item[] {
  return items.map((one) => (one === old ? item : one))
}

function freeName(items: readonly Item[], family: Family, dice: Dice): string | undefined {
  const free = names.filter((name) => !items.some((item) => item.family === family && item.name === name))
  return free.length === 0 ? undefined : dice.pick(free)
}

function labelMetas(items: readonly Item[]): readonly string[] {
  return items.filter(({ family }) => family === 'Label').map(({ meta }) => meta)
}

function inOrder(items: readonly Item[]): readonly Item[] {
  return [...items].sort((a, b) => (addressOf(a) < addressOf(b) ? -1 : 1))
}
