// Checks whole databases in a thread, because a large one takes seconds.
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { Unavailable } from '../../../model/errors.js'
import { damageText } from '../file/database-file.js'

/** Sends the answer of `check`, which gets a database. Plain JavaScript, because a thread cannot load TypeScript. */
const script = (options: string, check: string): string => `
const { parentPort, workerData } = require('node:worker_threads')
try {
  const database = new (require(workerData.driver))(workerData.file, ${options})
  parentPort.postMessage((${check})(database))
  database.close()
} catch (error) {
  parentPort.postMessage([error.message]) // an error of SQLite would lose its message
}
`
const findProblems = script(
  '{ readonly: true, fileMustExist: true }',
  "(database) => database.pragma('integrity_check(3)').map((row) => row.integrity_check)",
)
const quickCheck = script(
  '{ fileMustExist: true }',
  "(database) => (database.pragma('journal_mode = DELETE'), [database.pragma('quick_check', { simple: true })])",
)

/**
 * Checks the integrity of a database, while others may have it open. Returns the problems found; undefined: it took
 * longer than `limitMs`.
 */
export function integrityProblems(file: string, limitMs: number): Promise<readonly string[] | undefined> {
  return problemsFound(findProblems, file, limitMs)
}

/**
 * Checks a copy that nobody has open, and leaves it as one file without a log. Errors: `Unavailable`
 * store/copy-damaged.
 */
export async function checkCopy(file: string): Promise<void> {
  const problems = await problemsFound(quickCheck, file)
  if (problems?.length === 0) return
  throw new Unavailable(`The copy of the database is damaged: ${problems?.[0] ?? 'cannot read it'}.`, {
    code: 'store/copy-damaged',
    path: file,
    hint: 'The database itself may be damaged. Restart the agent, which checks and repairs it.',
  })
}

/** The answer of a script in a thread, without `ok`; undefined: it took longer than `limitMs`. */
async function problemsFound(check: string, file: string, limitMs?: number): Promise<readonly string[] | undefined> {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  const worker = new Worker(check, { eval: true, workerData: { driver, file } })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<readonly string[] | undefined>((resolve) => {
      if (limitMs !== undefined) timer = setTimeout(() => resolve(undefined), limitMs)
      worker.once('message', (found: readonly string[]) => resolve(found.filter(isProblem).map(damageText)))
      worker.once('error', (error) => resolve([error instanceof Error ? error.message : String(error)]))
      worker.once('exit', () => resolve(['the thread ended']))
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

function isProblem(found: string): boolean {
  return found !== 'ok'
}
