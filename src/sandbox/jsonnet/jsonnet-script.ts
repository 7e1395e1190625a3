/** What the child is given on its standard input. */
export interface ChildInput {
  /** Where the evaluator is loaded from. */
  readonly driver: string
  /** Resident memory at which it gives up. */
  readonly memory: number
  /** Of all that it gives. */
  readonly bytes: number
  /** After this it ends itself, should nobody do it. */
  readonly timeMs: number
  readonly codes: readonly string[]
  readonly entries: readonly { readonly result: string; readonly uses: readonly number[] }[]
}

/** What it says, a line each: which entry is in hand, what came of it, and why it gives up. */
export type ChildLine =
  | { readonly at: number }
  | { readonly text: string }
  | { readonly error: string }
  | { readonly noEvaluator: string }
  | { readonly noMemory: true }
  | { readonly noRoom: true }

/** The name of the program in the evaluator's messages. */
export const programName = 'package'

// A child of the tests reads no TypeScript, and this is all it does. The evaluator works in a thread of its own, so
// that memory can be watched meanwhile: most of it is not on the heap of JavaScript. A line break in its JSON, and the
// indentation that follows, stands between values only.
export const jsonnetScript = `
const fs = require('node:fs')
const input = JSON.parse(fs.readFileSync(0, 'utf8'))
const say = (line) => new Promise((done) => process.stdout.write(JSON.stringify(line) + '\\n', done))
const die = () => process.kill(process.pid, 'SIGKILL')
let room = input.bytes

const evaluate = async (Jsonnet, { result, uses }) => {
  const program = 'local ' + uses.map((at) => input.codes[at]).join(',\\n') + ';\\n' + result
  try {
    const json = await new Jsonnet().setMaxTrace(20).evaluateSnippet(program, '${programName}')
    const text = json.replaceAll(/\\n */g, '')
    room -= Buffer.byteLength(text)
    return room < 0 ? { noRoom: true } : { text }
  } catch (error) {
    return { error: String(error.message) }
  }
}
const watchMemory = () => {
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() < input.memory) return
    clearInterval(watch)
    void say({ noMemory: true }).then(die)
  }, 5)
}
const evaluateAll = async ({ Jsonnet }) => {
  watchMemory()
  for (let at = 0; at < input.entries.length && room >= 0; at++) {
    await say({ at })
    await say(await evaluate(Jsonnet, input.entries[at]))
  }
}
const load = () => {
  try {
    return require(input.driver)
  } catch (error) {
    void say({ noEvaluator: String(error.message) }).then(() => process.exit(0))
  }
}
setTimeout(die, input.timeMs)
try { fs.writeFileSync('/proc/self/oom_score_adj', '1000') } catch {}
try { require('node:os').setPriority(5) } catch {}
const driver = load()
if (driver !== undefined) void evaluateAll(driver).then(() => process.exit(0))
`
