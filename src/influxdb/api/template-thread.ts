// The main module of a thread (`addTemplateRoutes`).
import { parentPort } from 'node:worker_threads'
import { templateBodyAnswer, type TemplateBody } from './template-body.js'

parentPort!.on('message', (body: TemplateBody) => parentPort!.postMessage(templateBodyAnswer(body), []))
