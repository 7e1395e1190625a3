import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'

/**
 * Answers messages of the port one by one, and signals each answer. `program` sets `answer`, and can use `data` and
 * `require`.
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
 * A thread that the caller waits for synchronously, with a timeout. If it does not answer in time, or has died, end it.
 * It does not keep the process alive.
 */
export class SyncThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #turn = new Int32Array(new SharedArrayBuffer(4))

  /** `data`: the input of the program, which has no environment. */
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

  /** Undefined: no answer within the time. End the thread then: its answer may still arrive. */
  ask(question: unknown, timeoutMs: number): unknown {
    Atomics.store(this.#turn, 0, 0)
    this.#port.postMessage(question, [])
    const until = performance.now() + timeoutMs
    // A late notification of the previous answer ends a wait, too.
    for (let left = timeoutMs; left > 0 && Atomics.load(this.#turn, 0) === 0; left = until - performance.now())
      Atomics.wait(this.#turn, 0, 0, left)
    return receiveMessageOnPort(this.#port)?.message
  }

  end(): void {
    this.#port.close()
    void this.#worker.terminate()
  }
}
