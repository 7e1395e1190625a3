/**
 * One line of the table. `beside`: what it is compared with, of the same unit; the ratio is figure to that.
 * `aim`: at most so much (`most`), at least so much (`least`), or at most such a part, or so many times, of what it is
 * beside (`ratio`).
 */
export function row(what, figure, unit, { beside, aim } = {}) {
  const ratio = beside === undefined ? undefined : figure / beside.figure
  return {
    what,
    figure,
    unit,
    ...(beside === undefined ? {} : { beside: { ...beside, unit }, ratio }),
    ...(aim === undefined ? {} : { aim: { text: textOf(aim, unit), reached: isReached(aim, figure, ratio) } }),
  }
}

function isReached(aim, figure, ratio) {
  if (aim.most !== undefined) return figure <= aim.most
  return aim.least === undefined ? ratio <= aim.ratio : figure >= aim.least
}

function textOf({ most, least, ratio }, unit) {
  if (most !== undefined) return `≤ ${most} ${unit}`
  if (least !== undefined) return `≥ ${least} ${unit}`
  return ratio < 1 ? `1/${Math.round(1 / ratio)}` : `× ${ratio}`
}

export function median(figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** Milliseconds of each of `times` turns, after `warmUp` that do not count. */
export async function timed(times, turn, { warmUp = 1 } = {}) {
  const figures = []
  for (let at = -warmUp; at < times; at++) {
    const began = performance.now()
    await turn(at)
    if (at >= 0) figures.push(performance.now() - began)
  }
  return figures
}
