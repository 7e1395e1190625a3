const columns = [
  ['what', ({ what }) => what],
  ['figure', ({ figure, unit }) => `${shown(figure)} ${unit}`],
  [
    'compared with',
    ({ beside }) => (beside === undefined ? '' : `${beside.what}: ${shown(beside.figure)} ${beside.unit}`),
  ],
  ['ratio', ({ ratio }) => (ratio === undefined ? '' : ratio < 1 ? `1/${shown(1 / ratio)}` : shown(ratio))],
  ['aim', ({ aim }) => aim?.text ?? ''],
  ['reached', ({ aim }) => (aim === undefined ? '' : aim.reached ? 'yes' : 'no')],
]

/** The rows as lines for a person. */
export function table(rows) {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at].length)))
  return cells
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function shown(figure) {
  return figure >= 100 ? Math.round(figure).toLocaleString('en') : figure.toPrecision(2).replace(/\.0$/, '')
}
