const longest = 63

/** A DNS label from a text: its letters and digits, with one `-` for all characters between them. */
export function toDnsLabel(text: string, otherwise: string): string {
  const label = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replaceAll(/^-+|-+$/g, '')
  return label === '' ? otherwise : label
}

/** A free stack name for each text, in the same order, without duplicates. */
export function stackNames(texts: readonly string[], taken: ReadonlySet<string>): readonly string[] {
  const used = new Set(taken)
  return texts.map((text) => {
    const label = toDnsLabel(text, 'stack')
    let name = label
    for (let turn = 2; used.has(name); turn++) {
      const end = `-${turn}`
      name = label.slice(0, longest - end.length) + end
    }
    used.add(name)
    return name
  })
}
