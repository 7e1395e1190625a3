// A thread of our own code, for work on untrusted input that cannot pause. It begins with the first question, and ends
// when nothing was asked for a while, or when an answer is no longer wanted.
import { Worker, type TransferListItem } from 'node:worker_threads'
import { orAborted } from '../lib/or-aborted.js'
import { Semaphore } from '../lib/semaphore.js'
import { Slices } from '../lib/steps.js'

const idleMs = 10_000
const memoryMb = 2_048

/**
 * A program as text, that knows `data` and `require` and sets `answer`, a function of a question. It may print nothing.
 */
export interface ThreadScript {
  readonly program: string
  readonly data: object
  readonly memoryMb: number
}

/** Asks one question, and gives its answer. Errors: those of the thread, among them `ERR_WORKER_OUT_OF_MEMORY`. */
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

  /** `program`: a module that answers each message with one. */
  constructor(program: URL | ThreadScript) {
    this.#program = program
  }

  /**
   * One conversation at a time: nobody else asks until `work` has ended. Where the signal is aborted, the thread ends.
   */
  async exclusively<T>(work: (ask: AskThread<Question, Answer>) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#turn.run(async () => {
      clearTimeout(this.#idle)
      try {
        return await orAborted(
          work((question, transfer = []) => handled(this.#ask(question, transfer))),
          signal,
        )
      } catch (error) {
        this[Symbol.dispose]()
        throw error
      } finally {
        this.#idle = setTimeout(() => this[Symbol.dispose](), idleMs).unref()
      }
    }, signal)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  /** Questions and answers are copied, which takes a while for large ones: each copy has a slice of its own. */
  async #ask(question: Question, transfer: readonly TransferListItem[]): Promise<Answer> {
    await this.#turns.afterStep()
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
    worker.on('error', () => {}) // it is told to the question that was asked
    return worker
  }
}

/** Whoever asked may have given up before the thread ends: that is no fault of the process. */
function handled<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => {})
  return answer
}

function begun(program: URL | ThreadScript): Worker {
  if (program instanceof URL)
    return new Worker(program, { env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
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
