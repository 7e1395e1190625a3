import type { AgentProcess } from './agent-process.js'
import type { Scene } from './actions.js'

/** Requests of which no answer may be a mistake: of the agent (500), or of this program, which knows all fields. */
export async function request(
  scene: Pick<Scene, 'agent' | 'violated'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): ReturnType<AgentProcess['ask']> {
  const answer = await scene.agent.ask(method, path, body)
  const { code = '' } = (answer.body as { readonly error?: { readonly code: string } } | undefined)?.error ?? {}
  if (answer.status === 500 || code === 'api/invalid' || code === 'api/not-found')
    scene.violated(`${method} ${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}
