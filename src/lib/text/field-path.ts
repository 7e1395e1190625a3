// Paths of fields, as plans print them: `retentionRules[0].everySeconds`, `labels["a b"]`. In a pattern `*` matches
// any key and `[*]` any index.

/** 'any': any key or index. */
export type PathStep = { readonly key: string } | { readonly index: number } | 'any'

const step = /(?:^|(?!^)\.)(\*|[A-Za-z_$][\w$-]*)|\[(\*|\d{1,6}|"(?:[^"\\]|\\.)*")\]/y

/** The steps of a path or pattern; undefined: invalid. */
export function parseFieldPath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = []
  for (let at = 0; at < text.length; at = step.lastIndex) {
    step.lastIndex = at
    const match = step.exec(text)
    const found = match === null ? undefined : toStep(match[1], match[2])
    if (found === undefined) return undefined
    steps.push(found)
  }
  return steps.length === 0 ? undefined : steps
}

function toStep(key: string | undefined, inBrackets: string | undefined): PathStep | undefined {
  if (key === '*' || inBrackets === '*') return 'any'
  if (key !== undefined) return { key }
  if (!inBrackets!.startsWith('"')) return { index: Number(inBrackets) }
  try {
    return { key: JSON.parse(inBrackets!) as string }
  } catch {
    return undefined
  }
}

/** The path of a key below a path; '' is the whole. */
export function keyPath(path: string, key: string): string {
  const plain = /^[A-Za-z_$][\w$-]*$/.test(key)
  if (!plain) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}
