// What did somebody change by hand?
import { checkDrift, ignoreField, keepDrift, syncStack } from '../../actions.js'
import { useReadWhenDue } from '../../data/due.js'
import { useRead } from '../../data/read.js'
import { concernsStack, stackUrl } from '../../data/stack-url.js'
import type { DriftView, Explanation, StackView } from '../../data/types.js'
import { segments, stackPath } from '../../lib/route.js'
import { counted, tidy } from '../../lib/text.js'
import { ActionButton } from '../../parts/actions.js'
import { Clis, Empty, StackCrumbs, Time, Until } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Loaded } from '../../parts/section.js'
import { Field } from './change.js'

type DriftedResource = DriftView['resources'][number]

export function Drift() {
  const name = segments.value[1] ?? ''
  const concerns = concernsStack(name)
  const stack = useRead<StackView>(stackUrl(name), concerns)
  const drift = useRead<DriftView>(stackUrl(name, '/drift'), concerns)
  const explanation = useRead<Explanation>(stackUrl(name, '/explain'), concerns)
  const { nextDriftCheckAt = null, nextRetryAt = null } = explanation.data.value ?? {}
  useReadWhenDue([nextDriftCheckAt, nextRetryAt], [stack, drift, explanation])
  return (
    <>
      <StackCrumbs stack={name} here="Drift" />
      <Loaded read={stack} what="the stack">
        {(shown) => (
          <>
            {shown.status.reason === 'TargetUnreachable' && (
              <Unreachable stack={shown} nextAt={nextRetryAt ?? nextDriftCheckAt} />
            )}
            <Loaded read={drift} what="the drift">
              {(found) =>
                found.total === 0 ? <None stack={shown} drift={found} /> : <Shown stack={shown} drift={found} />
              }
            </Loaded>
          </>
        )}
      </Loaded>
    </>
  )
}

interface UnreachableProps {
  readonly stack: StackView
  readonly nextAt: string | null
}

/** The last check could not read the target. */
function Unreachable({ stack: { target, status }, nextAt }: UnreachableProps) {
  return (
    <div class="call s-failed" role="status">
      <Icon name="failed" size={18} />
      <div>
        <p>
          <b>
            {target} is unreachable, since <Time at={status.since} />.
          </b>{' '}
          {tidy(status.message)}
        </p>
        <p class="dim">
          Below: what the last check found. Next retry: <Until at={nextAt} />
        </p>
      </div>
    </div>
  )
}

interface ShownProps {
  readonly stack: StackView
  readonly drift: DriftView
}

function None({ stack: { name, target, spec, status }, drift: { checkedAt } }: ShownProps) {
  const isUnknown = spec.drift !== 'ignore' && (checkedAt === null || status.state === 'Unknown')
  return (
    <>
      <header class="top">
        <h1>{isUnknown ? 'Not known yet' : 'No drift'}</h1>
        <div class="actions">
          <ActionButton action={checkDrift(name)} />
        </div>
      </header>
      <Empty>
        {isUnknown && <>Somebody may have changed {target} since the last check. </>}
        {spec.drift === 'ignore' ? (
          <>gitmoor does not check {target} for drift: the setting drift of this stack is ignore.</>
        ) : checkedAt === null ? (
          <>Nothing was checked yet.</>
        ) : (
          <>
            {!isUnknown && <>{target} has what was applied. </>}Last checked <Time at={checkedAt} />.
          </>
        )}
      </Empty>
      <Clis of={[`gitmoor wait ${name}`]} />
    </>
  )
}

function Shown({ stack, drift: { total, since, checkedAt, resources, shared } }: ShownProps) {
  const { name, target, spec, managedBy } = stack
  const isEditable = managedBy === 'api'
  const fields = resources.reduce((sum, one) => sum + Math.max(1, one.fields.length), 0)
  return (
    <>
      <header class="top">
        <div>
          <h1>
            {counted(total, 'resource')} {total === 1 ? 'differs' : 'differ'} on {target}
          </h1>
          <p class="sub">
            Changed by hand. Found <Time at={since} />, last checked <Time at={checkedAt} />. {nextStep(stack)} Left:
            what is there; right: what the package declares.
          </p>
        </div>
        <div class="actions">
          <ActionButton class="primary" action={{ ...syncStack(name), label: 'Correct' }} />
          {spec.drift === 'correct' && isEditable && <ActionButton action={keepDrift(name)} />}
        </div>
      </header>
      <div class="changes" data-entries>
        {resources.map((one) => (
          <DriftBox key={one.address} resource={one} stack={stack} others={fields - 1} />
        ))}
        {resources.length < total - shared.length && (
          <p class="rest">And {counted(total - shared.length - resources.length, 'more resource')}.</p>
        )}
        {shared.length > 0 && <Shared shared={shared} />}
      </div>
      {!isEditable && <InFile resources={resources} managedBy={managedBy} />}
      <Clis of={[`gitmoor plan ${name}`, `gitmoor sync ${name}`]} />
    </>
  )
}

/** What gitmoor does about the drift by itself. */
function nextStep({ status, spec }: StackView): string {
  if (spec.drift === 'report') return 'This stack only reports drift.'
  return status.reason === 'Fighting' ? tidy(status.message) : 'gitmoor corrects it by itself.'
}

const words = {
  missing: ['del', '−', 'removed by hand: a correction creates it again'],
  changed: ['mod', '~', 'changed by hand'],
  undeclared: ['add', '+', 'added by hand: a correction removes it'],
} as const

interface DriftBoxProps {
  readonly resource: DriftedResource
  readonly stack: StackView
  /** How many other differences the stack has. */
  readonly others: number
}

/** Each field: what the target has, and what a correction makes of it. */
function DriftBox({ resource, stack: { name, spec, managedBy }, others }: DriftBoxProps) {
  const { address, kind, displayName = address, difference, fields } = resource
  const family = address.slice(0, address.indexOf('/'))
  const [key, sign, word] = words[difference]
  return (
    <article class={`change c-${key}`}>
      <div class="change-head plain">
        <b class={`sign ${key}`} aria-hidden="true">
          {sign}
        </b>
        <Icon name={kind} />
        <Link class="name" to={stackPath(name, 'resources', ...address.split('/'))}>
          {displayName}
        </Link>
        <span class="dim mono">{address}</span>
        <span class="dim cause">{word}</span>
      </div>
      {fields.length > 0 && (
        <div class="fields">
          {fields.map(({ path, actual, applied, tooLong }) => (
            <div key={path} class="drift-field">
              {tooLong === true ? (
                <p class="field-row">
                  <code class="field-path">{path}</code>
                  <span class="dim">Both values are too long to show.</span>
                </p>
              ) : (
                <Field
                  field={{
                    path,
                    ...(actual !== undefined && { old: actual }),
                    ...(applied !== undefined && { new: applied }),
                  }}
                />
              )}
              {managedBy === 'api' && (
                <ActionButton
                  class="mini ghost"
                  action={ignoreField(name, { family, path }, others, spec.ignore)}
                  about={`${path} of ${displayName}`}
                />
              )}
            </div>
          ))}
        </div>
      )}
    </article>
  )
}

function Shared({ shared }: { readonly shared: DriftView['shared'] }) {
  return (
    <section class="box shared-drift" aria-label="Shared resources">
      <p class="dim">Of resources that this stack shares. The stacks that own them correct them.</p>
      <ul>
        {shared.map(({ address, path }) => (
          <li key={`${address} ${path}`}>
            <code>{address}</code> {path === '' ? 'is missing' : <code>{path}</code>}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A file declares the stack: what to write there to leave the fields to others. */
function InFile({
  resources,
  managedBy,
}: {
  readonly resources: readonly DriftedResource[]
  readonly managedBy: string
}) {
  const fields = resources.flatMap(({ address, fields: some }) =>
    some.map(({ path }) => `  - { family: ${address.slice(0, address.indexOf('/'))}, path: ${JSON.stringify(path)} }`),
  )
  if (fields.length === 0) return null
  const where = managedBy === 'file' ? 'the configuration file' : managedBy.replace(':', ' ')
  return (
    <>
      <p class="dim">To leave fields to others, add them to the stack in {where}, which declares it:</p>
      <pre class="lines setting-to-add" tabIndex={0} role="region" aria-label="Setting to add">
        {['ignore:', ...new Set(fields)].join('\n')}
      </pre>
    </>
  )
}
