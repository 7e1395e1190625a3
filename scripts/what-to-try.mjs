// What to type in another terminal, once the demo is synced for the first time. Asks the agent through its own command
// line, as anybody would.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const text = `
The stack demo follows the tag stable of ./demo. In another terminal, in this directory, change
something, commit it, and look at what moving the tag would do:

  sed -i.bak s/Processor/CPU/ demo/monitoring/dashboard.yml
  git -C demo commit -am "A shorter name"
  npx gitmoor plan demo --ref main

Then move the tag. Within 5 seconds the change is applied, and this terminal shows it:

  git -C demo tag -f stable

More to try:

  npx gitmoor explain demo                          why it is as it is
  npx gitmoor history demo                          what happened
  npx gitmoor resource delete Dashboard/machines    break it: within a minute it comes back

docs/tutorial.md continues from here. Ctrl-C stops the agent.
`

/** Resolves when it is said, or when the agent ended before. `words`: what the agent was started with. */
export async function tellWhatToTry({ main, words, signal }) {
  try {
    for (let tries = 0; tries < 60; tries++) {
      if (await isSynced(main, words, signal)) return process.stderr.write(text)
      await sleep(500, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function isSynced(main, words, signal) {
  const { GITMOOR_URL: _elsewhere, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'wait', 'demo', ...dataOf(words)], { env, signal }, (error) =>
      resolve(error === null),
    )
  })
}

/** The option that agent and command line share. */
function dataOf(words) {
  const at = words.findIndex((word) => word === '--data' || word.startsWith('--data='))
  if (at < 0) return []
  return words[at] === '--data' ? words.slice(at, at + 2) : [words[at]]
}
