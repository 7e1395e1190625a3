/** Compares two texts as their UTF-8 bytes would: by code point. `<` compares UTF-16 units, which puts emoji before some letters. */
export function byteOrder(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

// Surrogates stand for the code points above all others.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
