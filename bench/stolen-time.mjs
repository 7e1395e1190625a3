// The time in which the hypervisor ran another machine on a core of this one: field `steal` of /proc/stat, per core.
import { existsSync, readFileSync } from 'node:fs'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** Of a tick, the unit of /proc/stat. */
const tickMs = 10
const sampleMs = 5

/** Samples in a thread of its own, so that a busy caller does not delay it. Without /proc/stat, nothing is stolen. */
export class StolenTime {
  #worker = existsSync('/proc/stat') ? new Worker(new URL(import.meta.url)) : undefined

  /** Stolen milliseconds of the most affected core between two times, in milliseconds since the epoch. */
  async between(from, to) {
    if (this.#worker === undefined || !Number.isFinite(from)) return 0
    return new Promise((resolve) => {
      this.#worker.once('message', resolve)
      // A tick is accounted up to one tick late.
      this.#worker.postMessage({ from, to: to + tickMs }, [])
    })
  }

  async close() {
    await this.#worker?.terminate()
  }
}

if (!isMainThread && parentPort !== null) {
  const keptMs = 120_000
  let samples = []
  const sample = () => samples.push({ at: Date.now(), ticks: stolenTicks() })
  const drop = () => (samples = samples.filter(({ at }) => at > Date.now() - keptMs))
  setInterval(sample, sampleMs)
  setInterval(drop, keptMs / 4)
  parentPort.on('message', ({ from, to }) => {
    sample()
    const before = samples.findLast(({ at }) => at <= from) ?? samples[0]
    const after = samples.find(({ at }) => at >= to) ?? samples.at(-1)
    parentPort.postMessage(tickMs * Math.max(...after.ticks.map((ticks, core) => ticks - before.ticks[core])), [])
  })
}

/** By core. */
function stolenTicks() {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n')
  return lines.filter((line) => /^cpu\d/.test(line)).map((line) => Number(line.split(/ +/)[8]))
}
