import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../model/errors.js'

// Plain JavaScript, because a thread cannot load TypeScript.
const findProblems = `
const { parentPort, workerData } = require('node:worker_threads')
try {
  const database = new (require(workerData.driver))(workerData.file, { readonly: true, fileMustExist: true })
  parentPort.postMessage(database.pragma('integrity_check(3)').map((row) => row.integrity_check))
  database.close()
} catch (error) {
  parentPort.postMessage([error.message]) // an error of SQLite would lose its message
}
`

/**
 * Checks the integrity of a database in a thread, while others may have it open. Returns the problems found; undefined:
 * it took longer than `limitMs`.
 */
export async function integrityProblems(file: string, limitMs: number): Promise<readonly string[] | undefined> {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  const worker = new Worker(findProblems, { eval: true, workerData: { driver, file } })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<readonly string[] | undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), limitMs)
      worker.once('message', (found: readonly string[]) => resolve(found.filter((line) => line !== 'ok')))
      worker.once('error', (error) => resolve([error instanceof Error ? error.message : String(error)]))
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

// Plain JavaScript, because a thread cannot load TypeScript.
const quickCheck = `
const { parentPort, workerData } = require('node:worker_threads')
const database = new (require(workerData.driver))(workerData.file, { fileMustExist: true })
database.pragma('journal_mode = DELETE')
const answer = database.pragma('quick_check', { simple: true })
database.close()
parentPort.postMessage(answer)
`

/**
 * Checks a copy that nobody has open, in a thread, because a large one takes seconds. Leaves it as one file without a
 * log. Errors: `Unavailable` store/copy-damaged.
 */
export async function checkCopy(file: string): Promise<void> {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  const worker = new Worker(quickCheck, { eval: true, workerData: { driver, file } })
  const answer = await new Promise<unknown>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread ended')))
  }).catch((error: unknown) => (error instanceof Error ? error.message : 'cannot read it'))
  if (answer === 'ok') return
  throw new Unavailable(`The copy of the database is damaged: ${String(answer)}.`, {
    code: 'store/copy-damaged',
    path: file,
    hint: 'The database itself may be damaged. Restart the agent, which checks and repairs it.',
  })
}
