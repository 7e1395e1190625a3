// One bench in a process of its own: node bench/measure.mjs NAME DIST DIRECTORY, forked by bench.mjs. Sends its rows and ends.
const [name, dist, directory] = process.argv.slice(2)
const { measure } = await import(`./${name}.mjs`)

const opened = []
/** Closed at the end, the last one first, also where the bench fails. */
const keep = (one) => {
  opened.push(one)
  return one
}
try {
  const rows = await measure({ dist, directory, keep })
  process.send(rows)
} finally {
  for (const one of opened.reverse()) await one.close()
  process.disconnect()
}
