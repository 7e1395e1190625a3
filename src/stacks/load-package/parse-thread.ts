// Runs in a thread of its own (`Packages`).
import { parentPort } from 'node:worker_threads'
import { LargeFileParser, type LargeQuestion } from '../../package/large-file.js'

const parser = new LargeFileParser()
parentPort!.on('message', (question: LargeQuestion) => parentPort!.postMessage(parser.answer(question), []))
