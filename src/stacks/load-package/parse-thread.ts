// The main module of the thread that parses large files (`PackageReader`).
import { parentPort } from 'node:worker_threads'
import { LargeFileParser, type LargeQuestion } from '../../package/large-file.js'

const parser = new LargeFileParser()
parentPort!.on('message', (question: LargeQuestion) => parentPort!.postMessage(parser.answer(question), []))
