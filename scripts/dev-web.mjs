// `npm run dev:web`: serves the page with changes at once, and passes requests on to the agent of GITMOOR_URL, default
// http://127.0.0.1:4470.
import { createServer } from 'vite'
import { webConfig } from './build-web.mjs'

const agent = process.env.GITMOOR_URL || 'http://127.0.0.1:4470'
// The agent takes writes of the page only from its own address.
const headers = { 'Sec-Fetch-Site': 'same-origin' }
const proxy = { '/api': { target: agent, headers } }
const server = await createServer({ ...webConfig, logLevel: 'info', server: { proxy } })
await server.listen()
server.printUrls()
