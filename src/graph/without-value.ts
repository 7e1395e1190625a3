import { printable, quoted } from '../model/printable.js'
import { problemAt, type Problem } from '../model/problem.js'
import type { Resource } from '../model/resource.js'

/** Warnings of env references with neither a value nor a default: they get a placeholder. One warning for each key. */
export function withoutValue(resources: readonly Resource[]): readonly Problem[] {
  const told = new Set<string>()
  return resources.flatMap(({ kind, spec, address, document }) =>
    (kind.envReferences?.(spec) ?? []).flatMap(({ key, value, defaultValue, unasked }) => {
      if (value !== undefined || defaultValue !== undefined || unasked === true || told.has(key)) return []
      told.add(key)
      const message = `${printable(address)}: the env reference ${quoted(key)} has no value and no default; ${quoted(`env-${key}`)} stands for it.`
      const hint = 'Supply it: `values` of the stack, or `gitmoor stack push --env-ref KEY=VALUE`.'
      return [problemAt('warning', document.place, { code: 'graph/no-value', message, hint })]
    }),
  )
}
