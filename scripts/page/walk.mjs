// From a failing stack on the overview to its cause and its fix, without leaving the page: reads only the
// accessibility tree, as a screen reader does, and only presses keys.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Tab stops until a control. */
const mostStops = 150
const mostMs = 20_000
const pollMs = 20

/**
 * Finds out why `stack` failed, and vetoes the commit that broke it. `page` shows the overview. Records into
 * `directory` what was visible at each step: `walk.txt`, and a picture for each.
 */
export async function walkToFix(page, { stack, directory }) {
  const recording = new Recording(page, directory)
  const { see, step, press } = recording
  await see(/heading ".*needs? attention/)
  await step(`${stack} failed: ask why.`, /link "See why: NAME"/.source.replace('NAME', stack))
  const seen = await see(/region "Why the stack is in this state"[\s\S]*button "Retry now"/)
  const why = seen.slice(seen.indexOf('region "Why the stack'), seen.indexOf('button "Retry now"'))
  const cause = textOf(why.slice(why.indexOf('paragraph')))
  const commit = /text: Package[^\n]*\n[^\n]*code[^\n]*: ([0-9a-f]{7})|Package[\s\S]*?\b([0-9a-f]{7})\b/.exec(why)
  const id = commit?.[1] ?? commit?.[2]
  const channel = /link "([^"]+)"[^\n]*\n\s*- \/url: \/channels/.exec(why)?.[1]
  if (id === undefined || channel === undefined) throw new Error(`No commit of a channel is visible in:\n${why}`)
  await step(`Commit ${id} of channel ${channel} broke it: ${cause}`, `link "${channel}"`)
  const move = await see(new RegExp(`row "(\\d+) [^"\\n]*${id}`))
  const number = new RegExp(`row "(\\d+) [^"\\n]*${id}`).exec(move)[1]
  await step(`Its move is number ${number}: veto it.`, `button "Veto: move ${number}"`)
  await see(/dialog "Veto/)
  await page.keyboard.type(`It breaks ${stack}.`)
  await step('The stacks go back to the commit before. Give the reason.', 'button "Veto"')
  await see(new RegExp(`It breaks ${stack}\\.`))
  await press('Back to the overview.', 'g', 'o')
  const end = await recording.until(
    (text) => /heading ".*needs? attention/i.test(text) && !text.includes(`See why: ${stack}`),
  )
  await recording.add(`${stack} no longer needs attention.`, end)
  return recording.end(cause)
}

class Recording {
  #page
  #directory
  #began = performance.now()
  #steps = []

  constructor(page, directory) {
    this.#page = page
    this.#directory = directory
    mkdirSync(directory, { recursive: true })
  }

  /** Waits until the accessibility tree matches, and gives it. */
  see = (pattern) => this.until((text) => pattern.test(text), pattern)

  async until(isThere, what = 'the end') {
    const began = performance.now()
    for (;;) {
      const text = await this.#read()
      if (isThere(text)) return text
      if (performance.now() - began > mostMs) throw new Error(`${what} is not visible in:\n${text}`)
      await sleep(pollMs)
    }
  }

  /** Notes what is visible, then presses Tab until the control has the focus, and Enter. */
  step = async (what, control) => {
    await this.add(what, await this.see(new RegExp(control)))
    const focused = new RegExp(`${control}[^\\n]* \\[active\\]`)
    for (let stop = 0; stop < mostStops; stop++) {
      await this.#page.keyboard.press('Tab')
      if (focused.test(await this.#read('ai'))) return this.#page.keyboard.press('Enter')
    }
    throw new Error(`Tab does not reach ${control}.`)
  }

  press = async (what, ...keys) => {
    await this.add(what, await this.#read())
    for (const key of keys) await this.#page.keyboard.press(key)
  }

  async add(what, text) {
    const seconds = (performance.now() - this.#began) / 1_000
    const number = this.#steps.push({ what, seconds, visible: textOf(text) })
    await this.#page.screenshot({ path: join(this.#directory, `${number}.png`) })
  }

  end(cause) {
    const lines = this.#steps.map(
      ({ what, seconds, visible }, at) => `${at + 1}. ${seconds.toFixed(1)} s  ${what}\n   ${visible}\n`,
    )
    writeFileSync(join(this.#directory, 'walk.txt'), lines.join('\n'))
    return { cause, seconds: this.#steps.at(-1).seconds, steps: this.#steps }
  }

  /** `ai`: with the mark of the focus. */
  #read(mode = 'default') {
    return this.#page.locator('body').ariaSnapshot({ mode })
  }
}

/** What a screen reader says of an accessibility tree. */
function textOf(tree) {
  return tree
    .split('\n')
    .filter((line) => !/^\s*- \/(url|placeholder):/.test(line))
    .map((line) =>
      line
        .replace(/^\s*- /, '')
        .replace(/\[[^\]]*\]/g, '')
        .replace(/^(generic|text|paragraph|code|list|listitem|time|emphasis)\b\s*:?/, '')
        .replace(/:$/, '')
        .trim(),
    )
    .filter(Boolean)
    .join(' · ')
}
