import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { completionScripts } from '../../../src/cli/completion/completion-scripts.js'
import type { ChannelView } from '../../../src/views/channel.js'
import { sampleChannel } from '../../api/sample-views.js'
import { openTestShell, typeLine } from '../type-command.js'
import { installed, makeHome, openShell, prompt, type Home } from './open-shell.js'

const run = promisify(execFile)

const range = 'semver:>=2 <3'
const channels: readonly ChannelView[] = [
  sampleChannel,
  { ...sampleChannel, name: 'ssh://git@git.example/ops#main', remote: 'ssh://git@git.example/ops', ref: 'main' },
  { ...sampleChannel, name: `https://git.example/tool#${range}`, remote: 'https://git.example/tool', ref: range },
]

/** A home beside an agent with stacks, targets and channels, and with a file. */
async function home(): Promise<Home> {
  const made = await makeHome(await openTestShell({ listChannels: async () => ({ items: channels, next: null }) }))
  await writeFile(join(made.directory, 'package one.yml'), '')
  return made
}

/** What a person types, with Tab as `→`, and the words that the program gets. */
const lines: Readonly<Record<string, readonly [typed: string, words: readonly string[]]>> = {
  'a verb, and a stack': ['his→bo→', ['history', 'boards']],
  'a target behind =': ['stack discover --target=la→', ['stack', 'discover', '--target=lab']],
  'a label with =': ['sync -l team=o→', ['sync', '-l', 'team=ops']],
  'a ref with :': ['channel log https://git.example/b→', ['channel', 'log', sampleChannel.name]],
  'a ref with @': ['channel log ssh://git@g→', ['channel', 'log', 'ssh://git@git.example/ops#main']],
  'a ref with blanks, which is quoted': ['channel log sem→', ['channel', 'log', range]],
  'its end': ['channel log semver:→', ['channel', 'log', range]],
  'in quotes': ['channel log "sem→', ['channel', 'log', range]],
  'a move of a channel in quotes': [`channel veto '${range}' la→`, ['channel', 'veto', range, 'latest']],
  'a file with a blank': ['validate pack→', ['validate', 'package one.yml']],
  'a file behind =': ['agent --config=pack→', ['agent', '--config=package one.yml']],
}

async function typeAll(command: string, at: Home): Promise<void> {
  const type = await openShell(command, at)
  const typed: Record<string, readonly string[]> = {}
  for (const [what, [line]] of Object.entries(lines)) typed[what] = await type(`gitmoor ${line.replaceAll('→', '\t')}`)
  expect(typed).toEqual(Object.fromEntries(Object.entries(lines).map(([what, [, words]]) => [what, words])))
}

const bash = installed('bash')
const zsh = installed('zsh')
const fish = installed('fish')
const hasTerminals = installed('script') !== undefined

describe.skipIf(bash === undefined)('bash', () => {
  test.skipIf(!hasTerminals)('completes what a person types', async () => {
    const at = await home()
    await writeFile(join(at.directory, '.bashrc'), `PS1='${prompt}'; source <(gitmoor completion bash)\n`)
    await typeAll(`${bash} --noprofile --rcfile .bashrc -i`, at)
  })

  /** `words`: those of the line, as bash splits it. `replaced`: what bash replaces. */
  const offered = async (words: string, replaced: string, candidate: string): Promise<readonly string[]> => {
    const { directory, env } = await home()
    // Prints one candidate, and its arguments.
    const gitmoor = `gitmoor() { printf '%s|' "$@" >"$HOME/words"; printf '%s\\tabout\\n' ${quoted(candidate)}; }`
    const script = `${completionScripts.bash}
    ${gitmoor}
    COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _gitmoor gitmoor ${quoted(replaced)}
    printf '%s|' "\${COMPREPLY[@]}"; cat "$HOME/words"`
    const { stdout } = await run(bash!, ['--norc', '-c', script], { env, cwd: directory })
    return stdout.split('|').slice(0, -1)
  }

  test('joins the parts of a word that bash splits, and offers the last part', async () => {
    const words = ['complete', '--', 'sync', '-l']
    expect(await offered('gitmoor sync -l a,team = o', 'o', 'a,team=ops')).toEqual(['ops', ...words, 'a,team=o'])
    expect(await offered('gitmoor sync -l a,team =', '', 'a,team=ops')).toEqual(['ops', ...words, 'a,team='])
    expect(await offered('gitmoor sync -l a @ t', '@t', 'a@team')).toEqual(['@team', ...words, 'a@t'])
    expect(await offered('gitmoor sync -l a,te', 'a,te', 'a,team=ops')).toEqual(['a,team=ops', ...words, 'a,te'])
    expect(await offered('gitmoor sync -l ""', '', 'a,team=ops')).toEqual(['a,team=ops', ...words, ''])
  })

  test('evaluates no candidate: it quotes them, and leaves those out that would end quotes', async () => {
    const hostile = '$(touch x)`"'
    const words = ['complete', '--', 'sync']
    expect(await offered('gitmoor sync ""', '', hostile)).toEqual([String.raw`\$\(touch\ x\)\`\"`, ...words, ''])
    expect(await offered(`gitmoor sync '"'`, '', hostile)).toEqual(['', ...words, ''])
    expect(await offered(`gitmoor sync '"a'`, 'a', 'a b')).toEqual(['a b', ...words, 'a'])
  })
})

/** A word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

describe.skipIf(zsh === undefined || !hasTerminals)('zsh completes what a person types', () => {
  // Without the files of the machine, and without asking whether the owners of the functions are trusted.
  const command = `${zsh} -d -i`
  const compinit = `PROMPT='${prompt}'; autoload -Uz compinit; compinit -u -D`

  test('with the script as a file in fpath', async () => {
    const at = await home()
    await mkdir(join(at.directory, 'functions'))
    await writeFile(join(at.directory, 'functions/_gitmoor'), completionScripts.zsh)
    await writeFile(join(at.directory, '.zshrc'), `fpath=(~/functions $fpath); ${compinit}\n`)
    await typeAll(command, at)
  })

  test('with the script sourced', async () => {
    const at = await home()
    await writeFile(join(at.directory, '.zshrc'), `${compinit}; source <(gitmoor completion zsh)\n`)
    const type = await openShell(command, at)
    expect(await type('gitmoor his\tbo\t')).toEqual(['history', 'boards'])
  })
})

describe.skipIf(fish === undefined)('fish offers', () => {
  /** The candidates for a line, without their descriptions. `before`: what fish runs first. */
  const offered = async (line: string, { directory, env }: Home, before = 'true'): Promise<readonly string[]> => {
    const script = `${before}; complete --do-complete "$LINE"`
    const { stdout } = await run(fish!, ['-c', script], { cwd: directory, env: { ...env, LINE: line } })
    return stdout.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t')[0]!]))
  }

  test('what the program says, with the script as a file in completions', async () => {
    const at = await home()
    const folder = join(at.directory, '.config/fish/completions')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'gitmoor.fish'), completionScripts.fish)
    const shown: Record<string, readonly string[]> = {}
    const expected: Record<string, readonly string[]> = {}
    for (const [what, [typed, words]] of Object.entries(lines)) {
      const line = typed.slice(0, -1).replace('his→', 'history ') // only the last word is incomplete
      shown[what] = await offered(`gitmoor ${line}`, at)
      expected[what] = words.slice(-1)
    }
    expect(shown).toEqual(expected)
    expect(await offered('gitmoor his', at)).toEqual(['history'])
  })

  test('what the program says, with the script sourced, newest first', async () => {
    const at = await home()
    const source = 'gitmoor completion fish | source'
    expect(await offered('gitmoor channel veto stable ', at, source)).toEqual(['latest', '3'])
  })
})

test('for an unknown shell is refused, with a list of shells', async () => {
  const { code, stderr } = await typeLine('completion tcsh', {})
  expect(code).toBe(3)
  expect(stderr).toContain('bash, zsh, fish')
})
