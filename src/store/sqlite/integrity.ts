import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

// A thread reads no TypeScript, and this is all it does.
const script = `
const { parentPort, workerData } = require('node:worker_threads')
try {
  const database = new (require(workerData.driver))(workerData.file, { readonly: true, fileMustExist: true })
  parentPort.postMessage(database.pragma('integrity_check(3)').map((row) => row.integrity_check))
  database.close()
} catch (error) {
  parentPort.postMessage([error.message]) // an error of SQLite would arrive without its message
}
`

/**
 * What is wrong with a database, read beside whoever has it open, in a thread of its own; none: it is whole. undefined:
 * it took longer than `limitMs`.
 */
export async function integrityOf(file: string, limitMs: number): Promise<readonly string[] | undefined> {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3')
  const worker = new Worker(script, { eval: true, workerData: { driver, file } })
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
