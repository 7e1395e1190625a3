// How much of the seeded suites runs: a tenth in `npm test`, all of it in `npm run attack` and `npm run test:all`.

/** A share of the full size, from GITMOOR_ATTACK; 0.1 unless set. */
export function attackScale(): number {
  const text = process.env['GITMOOR_ATTACK'] ?? '0.1'
  const scale = Number(text)
  if (!(scale > 0)) throw new Error(`GITMOOR_ATTACK is a number above 0, not "${text}".`)
  return scale
}

/** Where the random sequences begin, from GITMOOR_ATTACK_SEED; 1 unless set, so `npm test` always tries the same. */
export function attackSeed(): number {
  const text = process.env['GITMOOR_ATTACK_SEED'] ?? '1'
  const seed = Number(text)
  if (!Number.isSafeInteger(seed)) throw new Error(`GITMOOR_ATTACK_SEED is a whole number, not "${text}".`)
  return seed
}

/** The part of `count` cases to run at this scale; at least one. */
export function attackShare(count: number): number {
  return Math.max(1, Math.round(count * attackScale()))
}

/** The cases to run at this scale, chosen by `random`; always the last one. */
export function attackSample<T>(cases: readonly T[], random: (below: number) => number): readonly T[] {
  return cases.filter((_, at) => random(1_000) < attackScale() * 1_000 || at === cases.length - 1)
}
