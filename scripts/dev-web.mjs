// `npm run dev:web`: serves the page with changes at once, and passes requests on to the agent of GITMOOR_URL, default
// http://127.0.0.1:4470. `--port 0` takes a free port.
import { parseArgs } from 'node:util'
import { createServer } from 'vite'
import { webConfig } from './build-web.mjs'

const agent = process.env.GITMOOR_URL || 'http://127.0.0.1:4470'
// The agent takes writes of the page only from its own address.
const headers = { 'Sec-Fetch-Site': 'same-origin' }
const proxy = { '/api': { target: agent, headers } }
const { values } = parseArgs({ options: { port: { type: 'string', default: '5173' } } })
const server = await createServer({
  ...webConfig,
  logLevel: 'info',
  server: { proxy, host: '127.0.0.1', port: Number(values.port) },
})
await server.listen()
server.printUrls()
