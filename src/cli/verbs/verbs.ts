// verbs: the commands of gitmoor, by their first word. A command loads only its own modules, because loading takes most
// of the time of a short command.
import type { Command } from 'commander'
import type { Declare } from '../invocation.js'

/** Adds one or more verbs to the program. */
export type AddVerbs = (program: Command, declare: Declare) => void

type Verbs = Readonly<Record<string, () => Promise<AddVerbs>>>

/** The verbs below their headings, in the order of the help. */
const groups: Readonly<Record<string, Verbs>> = {
  Observe: {
    plan: async () => (await import('./plan/plan.js')).addPlanVerb,
    wait: async () => (await import('./sync/sync.js')).addWaitVerb,
    history: async () => (await import('./history.js')).addHistoryVerb,
    explain: async () => (await import('./explain.js')).addExplainVerb,
    doctor: async () => (await import('./doctor.js')).addDoctorVerb,
    page: async () => (await import('./page.js')).addPageVerb,
  },
  Change: {
    stack: async () => (await import('./stack/stack.js')).addStackVerbs,
    import: async () => (await import('./import.js')).addImportVerb,
    fleet: async () => (await import('./fleet.js')).addFleetVerbs,
    sync: async () => (await import('./sync/sync.js')).addSyncVerb,
    apply: async () => (await import('./plan/plan.js')).addApplyVerb,
    approve: async () => (await import('./sync/sync.js')).addApproveVerb,
    cancel: async () => (await import('./sync/sync.js')).addCancelVerb,
    suspend: async () => (await import('./suspend.js')).addSuspendVerb,
    resume: async () => (await import('./suspend.js')).addResumeVerb,
    resource: async () => (await import('./resource/resource.js')).addResourceVerbs,
  },
  Release: {
    channel: async () => (await import('./channel/channel.js')).addChannelVerbs,
    rollback: async () => (await import('./rollback.js')).addRollbackVerb,
    unpin: async () => (await import('./rollback.js')).addUnpinVerb,
  },
  Operate: {
    agent: async () => (await import('./agent.js')).addAgentVerb,
    target: async () => (await import('./target.js')).addTargetVerbs,
    webhook: async () => (await import('./webhook.js')).addWebhookVerbs,
    notification: async () => (await import('./notification.js')).addNotificationVerbs,
    backup: async () => (await import('./backup.js')).addBackupVerb,
    restore: async () => (await import('./backup.js')).addRestoreVerb,
    config: async () => (await import('./config.js')).addConfigVerbs,
    validate: async () => (await import('./validate/validate.js')).addValidateVerb,
    export: async () => (await import('./export.js')).addExportVerb,
    schema: async () => (await import('./schema.js')).addSchemaVerb,
    completion: async () => (await import('../completion/completion-verbs.js')).addCompletionVerbs,
  },
}

/** Adds the verb that begins with `word`, below the heading of its group; all verbs if it is unknown. */
export async function addVerbs(program: Command, declare: Declare, word = ''): Promise<void> {
  // Completion offers all other verbs, so it loads them.
  const isKnown = word !== 'completion' && Object.values(groups).some((verbs) => Object.hasOwn(verbs, word))
  for (const [heading, verbs] of Object.entries(groups)) {
    const loads = Object.entries(verbs).filter(([name]) => !isKnown || name === word)
    program.commandsGroup(`${heading}:`)
    for (const add of await Promise.all(loads.map(([, load]) => load()))) add(program, declare)
  }
}
