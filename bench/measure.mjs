// One bench in a process of its own: node bench/measure.mjs NAME SCALE DIST DIRECTORY, forked by bench.mjs. Sends its
// rows and ends.
const [name, scale, dist, directory] = process.argv.slice(2)
const { measure, scales } = await import(`./${name}.mjs`)

const opened = []
/** Closed at the end, the last one first, also where the bench fails or is stopped. */
const keep = (one) => {
  opened.push(one)
  return one
}
async function close() {
  for (const one of opened.splice(0).reverse()) await one.close()
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close().finally(() => process.exit(1)))
try {
  process.send(await measure({ dist, directory, keep, scale: scales[scale] }))
} finally {
  await close()
  process.disconnect()
}
