import type { AgentProcess } from './agent-process.js'
import type { Scene } from './actions.js'

/** Requests of which no answer may be the agent's own mistake. */
export async function request(
  scene: Pick<Scene, 'agent' | 'violated'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): ReturnType<AgentProcess['ask']> {
  const answer = await scene.agent.ask(method, path, body)
  if (answer.status === 500) scene.violated(`${method} ${path} answers 500: ${JSON.stringify(answer.body)}`)
  return answer
}
