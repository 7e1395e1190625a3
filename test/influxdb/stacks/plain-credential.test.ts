// Advice on a package is given once, not by each command that shows its stack.
import { expect, onTestFinished, test } from 'vitest'
import { sampleToken, serveAgent } from '../../api/request-api.js'
import { typeHere } from '../../e2e/type-here.js'
import { useWorld } from '../world.js'

const world = useWorld()

test('a plain credential is named by create, plan, the run and the doctor, and by no other command', async () => {
  const served = await serveAgent(world().call)
  onTestFinished(() => served.close())
  const env = { GITMOOR_URL: served.url, GITMOOR_TOKEN: sampleToken }
  const warns = async (line: string): Promise<boolean> => {
    const { stdout, stderr } = await typeHere(line.split(' '), { cwd: world().root, env })
    expect(stderr, line).not.toContain('error:')
    return `${stdout}${stderr}`.includes('is plain text in the package')
  }
  await world().push(
    `{apiVersion: influxdata.com/v2alpha1, kind: NotificationEndpointSlack, metadata: {name: chat},
      spec: {url: 'https://hooks.example.test/x', token: plain}}\n`,
  )
  const { url } = world().spec('boards').sources[0] as { readonly url: string }
  expect(await warns(`stack create boards --repo ${url}`)).toBe(true)
  for (const line of ['plan boards', 'history boards 1', 'doctor'])
    expect([line, await warns(line)]).toEqual([line, true])
  for (const line of ['sync boards', 'explain boards', 'stack get boards', 'stack list', 'history boards'])
    expect([line, await warns(line)]).toEqual([line, false])
})
