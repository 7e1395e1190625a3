// The same commit has the same tint in all views of a browser tab.

const tints = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const
export type Tint = (typeof tints)[number] | 'x'

const assigned = new Map<string, Tint>()

/** `x`: no commit. Seven commits differ; then tints repeat. */
export function tintOf(commit: string | null | undefined): Tint {
  if (commit === null || commit === undefined) return 'x'
  const known = assigned.get(commit)
  if (known !== undefined) return known
  const preferred = tints[parseInt(commit.slice(0, 6), 16) % tints.length] ?? 'a'
  const used = new Set(assigned.values())
  const tint = used.has(preferred) ? (tints.find((one) => !used.has(one)) ?? preferred) : preferred
  assigned.set(commit, tint)
  return tint
}
