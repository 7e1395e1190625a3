import type { StackSpec, StackSpecPatch } from '../model/stack.js'

/** The settings with what is given anew. */
export function patchSpec(spec: StackSpec, { source, ...rest }: StackSpecPatch): StackSpec {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const changed = Object.fromEntries(Object.entries(source ?? {}).filter(([, value]) => value !== undefined))
  const sources = spec.sources.map((one) => (one.kind === 'git' ? { ...one, ...changed } : one))
  return { ...spec, ...given, sources }
}
