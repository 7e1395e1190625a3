// The same commit has the same tint in all views, tabs and visits of a browser.

const tints = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const
export type Tint = (typeof tints)[number] | 'x'

const key = 'gitmoor-tints'
const mostKept = 200

/** By commit, in the order of assignment: a new one differs from the last six. */
const assigned = read()

/** `x`: no commit. */
export function tintOf(commit: string | null | undefined): Tint {
  if (commit === null || commit === undefined) return 'x'
  const known = assigned.get(commit)
  if (known !== undefined) return known
  for (const [other, tint] of read()) assigned.set(other, tint) // another tab may have assigned it meanwhile
  return assigned.get(commit) ?? assign(commit)
}

function assign(commit: string): Tint {
  const preferred = tints[parseInt(commit.slice(0, 6), 16) % tints.length] ?? 'a'
  const used = new Set([...assigned.values()].slice(1 - tints.length))
  const tint = used.has(preferred) ? (tints.find((one) => !used.has(one)) ?? preferred) : preferred
  assigned.set(commit, tint)
  localStorage.setItem(key, JSON.stringify([...assigned].slice(-mostKept)))
  return tint
}

function read(): Map<string, Tint> {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '[]') as readonly (readonly [string, Tint])[]
    return new Map(kept.filter(([, tint]) => tints.some((one) => one === tint)))
  } catch {
    return new Map()
  }
}
