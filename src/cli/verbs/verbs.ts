// verbs: the commands of gitmoor, by their first word. A command loads only its own modules, because loading takes most
// of the time of a short command.
import type { Command } from 'commander'
import type { Declare } from '../invocation.js'

/** Adds one or more verbs to the program. */
export type AddVerbs = (program: Command, declare: Declare) => void

const verbs: Readonly<Record<string, () => Promise<AddVerbs>>> = {
  agent: async () => (await import('./agent.js')).addAgentVerb,
  stack: async () => (await import('./stack/stack.js')).addStackVerbs,
  plan: async () => (await import('./plan.js')).addPlanVerb,
  apply: async () => (await import('./plan.js')).addApplyVerb,
  approve: async () => (await import('./sync.js')).addApproveVerb,
  cancel: async () => (await import('./sync.js')).addCancelVerb,
  sync: async () => (await import('./sync.js')).addSyncVerb,
  wait: async () => (await import('./sync.js')).addWaitVerb,
  history: async () => (await import('./history.js')).addHistoryVerb,
  rollback: async () => (await import('./rollback.js')).addRollbackVerb,
  unpin: async () => (await import('./rollback.js')).addUnpinVerb,
  suspend: async () => (await import('./suspend.js')).addSuspendVerb,
  resume: async () => (await import('./suspend.js')).addResumeVerb,
  doctor: async () => (await import('./doctor.js')).addDoctorVerb,
  explain: async () => (await import('./explain.js')).addExplainVerb,
  channel: async () => (await import('./channel.js')).addChannelVerbs,
  webhook: async () => (await import('./webhook.js')).addWebhookVerbs,
  export: async () => (await import('./export.js')).addExportVerb,
  resource: async () => (await import('./resource/resource.js')).addResourceVerbs,
  backup: async () => (await import('./backup.js')).addBackupVerb,
  restore: async () => (await import('./backup.js')).addRestoreVerb,
  validate: async () => (await import('./validate.js')).addValidateVerb,
}

/** Completion needs all other verbs, so it is not among them. */
const completion = async (): Promise<AddVerbs> => (await import('../completion/completion-verbs.js')).addCompletionVerbs

/** The verbs that begin with `word`; all verbs if it is unknown. */
export async function loadVerbs(word = ''): Promise<readonly AddVerbs[]> {
  const loads = Object.hasOwn(verbs, word) ? [verbs[word]!] : [...Object.values(verbs), completion]
  return Promise.all(loads.map((load) => load()))
}
