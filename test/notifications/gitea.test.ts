// Commit statuses on a real Gitea or Forgejo, which GITMOOR_TEST_GITEA_URL and …_TOKEN name. The token is of a user who
// may create repositories.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StackSpec } from '../../src/model/stacks/stack.js'
import { label } from '../e2e/packages.js'
import { until } from '../e2e/until.js'
import { never, useServedWorld } from '../e2e/world.js'

const { GITMOOR_TEST_GITEA_URL: url, GITMOOR_TEST_GITEA_TOKEN: token } = process.env
if (url === undefined) console.log('GITMOOR_TEST_GITEA_URL is not set: a real Gitea is not tested.')

interface Status {
  readonly id: number
  readonly context: string
  readonly status: string
  readonly target_url: string
  readonly description: string
}

async function gitea<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${url!}/api/v1${path}`, {
    method,
    headers: { authorization: `token ${token!}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

describe.skipIf(url === undefined || token === undefined)('a real Gitea', () => {
  const world = useServedWorld()
  let repository: string

  beforeEach(async () => {
    const name = `gitmoor-${process.pid}-${Date.now().toString(36)}`
    const made = await gitea<{ full_name: string }>('POST', '/user/repos', { name, private: true, auto_init: true })
    repository = made.full_name
    world().environment.set('FORGE', token!)
    const credentials = [{ name: 'forge', match: `${url!}/`, token: '${env:FORGE}', allowHttp: true }]
    const api = `${url!}/api/v1`
    const statuses = [{ name: 'host', match: `${url!}/`, forge: 'gitea' as const, api, credential: 'forge' }]
    const receivers = { notifications: [], statuses, publicUrl: 'https://moor.example' }
    expect(await world().reload({ changed: { credentials, receivers } })).toBe(true)
  })
  afterEach(() => gitea('DELETE', `/repos/${repository}`))

  /** Commits the file of the package. */
  async function push(text: string): Promise<string> {
    const path = `/repos/${repository}/contents/package.yml`
    const there = await gitea<{ sha: string }>('GET', path).catch(() => undefined)
    const content = Buffer.from(text).toString('base64')
    const change = { content, message: 'Change the package', ...(there && { sha: there.sha }) }
    const { commit } = await gitea<{ commit: { sha: string } }>(there === undefined ? 'POST' : 'PUT', path, change)
    return commit.sha
  }

  const sources = (): StackSpec['sources'] => [
    { kind: 'git', url: `${url!}/${repository}.git`, ref: 'main', path: 'package.yml' },
  ]

  /** The newest status of a commit, once it has this state and description. */
  async function newestOf(commit: string, state: string, description: RegExp): Promise<Status> {
    return until(`the status of ${commit} is ${state}`, async () => {
      world().clock.advance(1_000)
      const all = await gitea<readonly Status[]>('GET', `/repos/${repository}/commits/${commit}/statuses`)
      const newest = [...all].sort((one, other) => other.id - one.id)[0]
      return newest?.status === state && description.test(newest.description) && newest
    })
  }

  test('shows a failure and, for the commit that repairs it, a success with a link to its run', async () => {
    const broken = await push('not: [a package')
    await world().create('boards', { sources: sources() })
    expect(await newestOf(broken, 'failure', /^Run \d+ failed/)).toMatchObject({ context: 'gitmoor/boards' })
    const repaired = await push(label('red'))
    const { id, outcome } = await world().sync('boards')
    expect(outcome).toBe('applied')
    expect(await newestOf(repaired, 'success', /applied/)).toMatchObject({
      context: 'gitmoor/boards',
      target_url: `https://moor.example/stacks/boards/runs/${id}`,
    })
    const { state } = await gitea<{ state: string }>('GET', `/repos/${repository}/commits/${repaired}/status`)
    expect(state).toBe('success')
  })

  test('shows a commit that needs approval as pending until it is approved', async () => {
    const commit = await push(label('red'))
    await world().create('boards', { sources: sources(), apply: 'approval' })
    await newestOf(commit, 'pending', /needs approval/)
    const { plan } = await world().lastRun('boards')
    await world().ask.approvePlan('boards', plan!.digest, 'ann', never)
    await newestOf(commit, 'success', /applied/)
  })
})
