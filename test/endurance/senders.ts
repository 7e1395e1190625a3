// Senders of webhooks: mostly in time and signed, sometimes missing, duplicate, wrong, or without
// knowing the secret.
import { createHmac, randomUUID } from 'node:crypto'
import type { Scene } from './actions.js'
import { canaries, type Project, type Pushed } from './world.js'

/** Percentages; other pushes are reported once, correctly. */
const chances = [
  ['lost', 12],
  ['twice', 10],
  ['forged', 8],
  ['wrong', 8],
] as const

/** Nobody waits for the answer; what it must not be is a violation. */
export function notify(scene: Scene, project: Project, pushed: Pushed | undefined): void {
  if (pushed === undefined) return
  const { dice, counts } = scene
  let at = dice.below(100)
  const how = chances.find(([, share]) => (at -= share) < 0)?.[0] ?? 'right'
  counts[`webhook ${how}`] = (counts[`webhook ${how}`] ?? 0) + 1
  if (how === 'lost') return
  const reported = how === 'wrong' ? { ...pushed, commit: dice.pick(project.commits).id } : pushed
  const body = JSON.stringify({
    repository: project.name,
    ref: reported.ref,
    commit: reported.commit ?? '0'.repeat(40),
  })
  const delivery = randomUUID()
  const times = how === 'twice' ? 2 : 1
  for (let i = 0; i < times; i++) void deliver(scene, { body, delivery, isForged: how === 'forged' })
}

async function deliver(
  { agent, violated }: Scene,
  { body, delivery, isForged }: { readonly body: string; readonly delivery: string; readonly isForged: boolean },
): Promise<void> {
  const secret = isForged ? 'what somebody guesses' : canaries.ofWebhook
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const status = await agent.post('/hooks/hook', { 'x-signature-256': signature, 'x-delivery': delivery }, body)
  if (![0, 429, isForged ? 401 : 202].includes(status))
    violated(`a ${isForged ? 'forged' : 'signed'} delivery was answered with ${status}: ${body}`)
}
