// Requests over InfluxDB's API about a stack of a configuration file that the agent was started without.
import { expect, test } from 'vitest'
import { refusal } from '../../e2e/refusal.js'
import { askTemplates } from '../ask.js'
import { bucket } from '../packages.js'
import { never, useWorld } from '../world.js'

const world = useWorld()

test('are refused, unless they only read', async () => {
  await world().push(bucket('raw'))
  const spec = world().spec('boards')
  await world().restart({ changed: { stacks: [spec] } })
  await world().declare()
  await world().lastRun('boards')
  await world().restart({ file: false, formerFile: '/etc/gitmoor.yaml' })
  const ask = askTemplates(world().call)
  const { id: stackID } = await world().ask.getStack('boards')
  const { id: orgID } = (await ask.listOrganisations())[0]!
  const request = { orgID, stackID, remotes: [], packages: [], values: {}, secrets: {}, skips: [], allowEmpty: false }
  for (const refused of [
    () => ask.applyTemplate(request, 'ann', never),
    () => ask.dryRunTemplate(request, never),
    () => ask.changeTemplateStack(stackID, { adopt: [], untrack: [] }, 'ann', never),
  ])
    expect(await refusal(refused())).toMatchObject({ code: 'config/not-given' })
  expect(await ask.getTemplateStack(stackID)).toMatchObject({ id: stackID })
})
