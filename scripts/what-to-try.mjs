// Prints what to type in another terminal, after the first sync of the demo. Asks the agent through the command line.
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const text = `
The stack demo follows the tag stable of ./demo. In another terminal, in this directory, change
a file, commit it, and see what the commit would change:

  sed -i.bak s/Processor/CPU/ demo/monitoring/dashboard.yml
  git -C demo commit -am "A shorter name"
  npx gitmoor plan demo --ref main

Then move the tag. gitmoor applies the change within 5 seconds, and this terminal shows it:

  git -C demo tag -f stable

More to try:

  npx gitmoor explain demo                          see the status and the last changes
  npx gitmoor history demo                          list the runs
  npx gitmoor resource delete Dashboard/machines    cause drift: gitmoor corrects it within a minute

docs/tutorial.md continues from here. Ctrl-C stops the agent.
`

/** Resolves when the text is printed, or when the agent ended before. `words`: the arguments of the agent. */
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
