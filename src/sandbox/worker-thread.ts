// A thread with our own code, for work on untrusted input that cannot pause. It starts with the first request, and ends
// after an idle time or when a response is no longer needed.
import { Worker, type TransferListItem } from 'node:worker_threads'
import { orAborted } from '../lib/async/or-aborted.js'
import { Semaphore } from '../lib/async/semaphore.js'
import { Slices } from '../lib/async/steps.js'

/** How long a thread waits for the next question. A module begins fast, and holds much memory until it ends. */
const idleMs = { module: 1_000, script: 10_000 }
const memoryMb = 2_048
/** Of what a module just made. By default it may be three times as much, which the process keeps. */
const youngMb = 8

/**
 * A program as text. It can use `data` and `require`, and sets `answer`, a function of a question. It must not print.
 */
export interface ThreadScript {
  readonly program: string
  readonly data: object
  readonly memoryMb: number
}

/**
 * Sends one question to the thread and returns its answer. Errors: those of the thread, such as
 * `ERR_WORKER_OUT_OF_MEMORY`.
 */
export type AskThread<Question, Answer> = (
  question: Question,
  transfer?: readonly TransferListItem[],
) => Promise<Answer>

export class WorkerThread<Question, Answer> implements Disposable {
  readonly #program: URL | ThreadScript
  readonly #turn = new Semaphore(1)
  readonly #turns = new Slices()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  /** `program`: a module that answers each message with one message. */
  constructor(program: URL | ThreadScript) {
    this.#program = program
  }

  /**
   * Runs `work` with exclusive access to the thread. If the signal aborts, the thread ends, and what `work` still asks
   * fails: another caller may use the next thread by then.
   */
  async exclusively<T>(work: (ask: AskThread<Question, Answer>) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#turn.run(async () => {
      const ended = new AbortController()
      clearTimeout(this.#idle)
      try {
        return await orAborted(
          work((question, transfer = []) => handled(this.#ask(question, transfer, ended.signal))),
          signal,
        )
      } catch (error) {
        this[Symbol.dispose]()
        throw error
      } finally {
        ended.abort()
        const ms = this.#program instanceof URL ? idleMs.module : idleMs.script
        this.#idle = setTimeout(() => this[Symbol.dispose](), ms).unref()
      }
    }, signal)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  /** Copying large questions and answers takes time: each copy runs in a time slice of its own. */
  async #ask(question: Question, transfer: readonly TransferListItem[], ended: AbortSignal): Promise<Answer> {
    await this.#turns.afterStep()
    ended.throwIfAborted()
    const answer = await this.#answerTo(question, transfer)
    await this.#turns.afterStep()
    return answer
  }

  #answerTo(question: Question, transfer: readonly TransferListItem[]): Promise<Answer> {
    const worker = (this.#worker ??= this.#begin())
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        worker.unref()
      }
      const onMessage = (answer: Answer): void => (settle(), resolve(answer))
      const onError = (error: Error): void => (settle(), reject(error))
      const onExit = (): void => onError(new Error('The thread ended.'))
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      worker.ref()
      worker.postMessage(question, transfer)
    })
  }

  #begin(): Worker {
    const worker = begun(this.#program)
    worker.on('error', () => {}) // the pending question receives the error
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    return worker
  }
}

/** Marks a rejection as handled: the caller may have given up before the thread ends. */
function handled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => {})
  return answer
}

function begun(program: URL | ThreadScript): Worker {
  if (program instanceof URL)
    return new Worker(program, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
    })
  const { data, memoryMb: most } = program
  const around = `const { parentPort, workerData: data } = require('node:worker_threads')
    let answer
    ${program.program}
    parentPort.on('message', (question) => parentPort.postMessage(answer(question)))`
  const silent = { stdout: true, stderr: true, env: {}, execArgv: [] }
  return new Worker(around, {
    ...silent,
    eval: true,
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: most },
  })
}
