// What `npm start` must know of the options that it passes on to the agent.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The value of the last `--name VALUE` or `--name=VALUE`; undefined: not given. */
export function optionValue(words, name) {
  const values = words.flatMap((word, at) => {
    if (word.startsWith(`${name}=`)) return [word.slice(name.length + 1)]
    return words[at - 1] === name ? [word] : []
  })
  return values.at(-1)
}

/** The `url`, `token` and `pid` that an agent wrote into the data directory; undefined: none did. */
export function readAgentFile(words) {
  const data = optionValue(words, '--data') ?? (process.env.GITMOOR_DATA || '.gitmoor')
  try {
    return JSON.parse(readFileSync(join(data, 'agent.json'), 'utf8'))
  } catch {
    return undefined
  }
}
