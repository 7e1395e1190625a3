import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'

/**
 * Answers what comes through the port, one thing at a time, and says when it has. `program` sets `answer` and knows
 * `data` and `require`.
 */
const around = (program: string): string => `
const { port, turn, data } = require('node:worker_threads').workerData
let answer
${program}
port.on('message', (question) => {
  port.postMessage(answer(question))
  Atomics.store(turn, 0, 1)
  Atomics.notify(turn, 0)
})
`

/**
 * A thread that is asked and waited for, though only so long: what does not answer in time, or has died, is ended. It
 * keeps no process alive.
 */
export class SyncThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #turn = new Int32Array(new SharedArrayBuffer(4))

  /** `data`: what the program is given. It has no environment. */
  constructor(program: string, data: object) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(around(program), {
      eval: true,
      workerData: { port: port2, turn: this.#turn, data },
      transferList: [port2],
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    })
    this.#worker.on('error', () => {})
    this.#worker.unref()
  }

  /** undefined: no answer within the time. End the thread then: its answer may still come. */
  ask(question: unknown, timeoutMs: number): unknown {
    Atomics.store(this.#turn, 0, 0)
    this.#port.postMessage(question, [])
    Atomics.wait(this.#turn, 0, 0, timeoutMs)
    return receiveMessageOnPort(this.#port)?.message
  }

  end(): void {
    this.#port.close()
    void this.#worker.terminate()
  }
}
