/** The standard input of the child. */
export interface ChildInput {
  /** The path of the evaluator. */
  readonly driver: string
  /** The limit of resident memory. */
  readonly memory: number
  /** The limit of all results. */
  readonly bytes: number
  /** After this time, the child ends itself if nobody else did. */
  readonly timeMs: number
  readonly codes: readonly string[]
  readonly entries: readonly { readonly result: string; readonly uses: readonly number[] }[]
}

/** One line of output each: the current entry point, its result, and why evaluation stopped. */
export type ChildLine =
  | { readonly at: number }
  | { readonly text: string }
  | { readonly error: string }
  | { readonly noEvaluator: string }
  | { readonly noMemory: true }
  | { readonly noRoom: true }

/** The name of the program in messages of the evaluator. */
export const programName = 'package'

// The script is plain JavaScript, because the child of a test cannot load TypeScript. The evaluator works in its own
// thread, so that memory can be watched: most of it is not on the JavaScript heap. In its JSON, line breaks and
// indentation occur only between values.
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
