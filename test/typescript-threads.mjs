// Tests run the sources; a thread that they begin needs them as JavaScript, which vitest gives to its own processes
// only.
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread) register('./typescript-loader.mjs', import.meta.url)
