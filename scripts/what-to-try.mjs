// Prints what to type in another terminal, after the first sync of the demo.
import { setTimeout as sleep } from 'node:timers/promises'
import { readAgentFile } from './agent-options.mjs'

const text = `
The stack demo follows the tag stable of ./demo. In another terminal, in this directory, change
a file, commit it, and see what the commit would change:

  sed -i.bak s/Processor/CPU/ demo/monitoring/dashboard.yml
  git -C demo commit -am "A shorter name"
  ./gitmoor plan demo --ref main

Then move the tag. gitmoor applies the change within 5 seconds, and this terminal shows it:

  git -C demo tag -f stable

More to try:

  ./gitmoor explain demo        see the status and the last changes
  ./gitmoor history demo        list the runs
  ./gitmoor page                open the page in a browser, signed in
  ./gitmoor resource delete Dashboard/machines --stack demo --yes
                                  cause drift: gitmoor corrects it within a minute

docs/tutorial.md continues from here. Ctrl-C stops the agent.`

const reminder = `
The repository ./demo is as you left it. docs/tutorial.md has what to try. Ctrl-C stops the agent.`

const unsynced = `
The stack demo is not synced. See why, in another terminal: ./gitmoor explain demo`

/**
 * Resolves when the text is printed, or when the agent ended. `words`: the options of the agent.
 */
export async function tellWhatToTry({ words, isDemoNew, say, signal }) {
  for (let tries = 0; tries < 600 && !signal.aborted; tries++) {
    const status = await waitForDemo(readAgentFile(words), { timeoutMs: isDemoNew ? 60_000 : 1_000, signal })
    if (status !== undefined && status !== 404) return isDemoNew ? say(status === 200 ? text : unsynced) : say(reminder)
    await sleep(100)
  }
}

/** The status of the answer; undefined: this process does not serve the API, or no longer. */
async function waitForDemo(agent, { timeoutMs, signal }) {
  if (agent?.pid !== process.pid) return undefined
  const headers = { Authorization: `Bearer ${agent.token}`, 'Content-Type': 'application/json' }
  const wait = { method: 'POST', headers, body: JSON.stringify({ timeoutMs }), signal }
  try {
    const answer = await fetch(`${agent.url}/api/v1/stacks/demo/wait`, wait)
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return undefined
  }
}
