import { FluxParser } from '../../src/influxdb/flux/flux-parser.js'
import type { FluxPort } from '../../src/influxdb/kinds/kinds.js'

const flux = new FluxParser()

/** One for all worlds: its thread takes longer to load its library than most tests take. */
export const sharedFlux: FluxPort & Disposable = {
  inspect: (text) => flux.inspect(text),
  parse: (text) => flux.parse(text),
  print: (tree) => flux.print(tree),
  [Symbol.dispose]: () => {},
}
