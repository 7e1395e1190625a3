// The chain from the source to the target. The link that is broken shows why, and what to do.
import type { ComponentChildren } from 'preact'
import { syncStack } from '../../actions.js'
import { actionOf } from '../../next-action.js'
import { stateKeys } from '../../data/states.js'
import type { Explanation, RunView, StackView } from '../../data/types.js'
import { stackPath } from '../../lib/route.js'
import { linksOfSources } from '../../lib/links.js'
import { commitIn, counted, cutMiddle, firstLine, repositoryName, tidy } from '../../lib/text.js'
import { ago } from '../../lib/time.js'
import { ActionButton } from '../../parts/actions.js'
import { Cli, Commit, Counts, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { reasonOf } from '../overview.js'
import { breakOf, type LinkName } from './broken-link.js'

/** Longer ones have their middle cut, and a title. */
const mostRefCharacters = 32

interface ChainLink {
  readonly name: LinkName
  readonly title: string
  readonly icon: string
  readonly main: ComponentChildren
  readonly sub: ComponentChildren
}

interface ChainProps {
  readonly stack: StackView
  readonly explanation: Explanation
  /** The newest run, if its plan or its problems matter. */
  readonly run: RunView | undefined
}

export function Chain(props: ChainProps) {
  const { stack } = props
  const links = linksOf(props)
  const broken = links.findIndex(({ name }) => name === breakOf(stack.status))
  const key = stateKeys[stack.status.state]
  const why = broken < 0 ? null : <Because {...props} />
  return (
    <section class="chain-box box" aria-label="Why the stack is in this state">
      <ol class={`chain ${links.length === 4 ? 'four' : ''}`}>
        {links.map(({ name, title, icon, main, sub }, at) => {
          const isOff = broken >= 0 && at > broken
          const state = at === broken ? key : isOff ? 'unknown' : 'synced'
          return (
            <li key={name} class={`s-${state} ${isOff ? 'off after' : ''} ${at === broken ? 'broken' : ''}`}>
              <span class="ring">
                <Icon
                  name={at === broken ? key : icon}
                  size={18}
                  title={at === broken ? stack.status.state : undefined}
                />
              </span>
              <div class="link">
                <span class="link-name">{title}</span>
                <span class="link-main">{main}</span>
                <span class="link-sub">{sub}</span>
              </div>
              {at === broken && <div class={`because because-narrow s-${key}`}>{why}</div>}
            </li>
          )
        })}
      </ol>
      {broken >= 0 && <div class={`because because-wide at-${broken} s-${key}`}>{why}</div>}
      {stack.status.also.length > 0 && <Also explanation={props.explanation} />}
    </section>
  )
}

function linksOf({ stack, explanation, run }: ChainProps): readonly ChainLink[] {
  const [followed] = explanation.follows
  const [source] = stack.sources
  const move = followed?.move ?? null
  const desired = commitIn(stack.pinned?.revision ?? stack.revision.observed)
  const applied = commitIn(stack.revision.applied)
  const url =
    source === undefined ? '' : 'url' in source ? source.url : 'directory' in source ? source.directory : source.kind
  const more = stack.sources.length - 1
  const ref = source !== undefined && 'ref' in source && typeof source.ref === 'string' ? source.ref : undefined
  const web = linksOfSources(stack.sources)
  const errors = run?.problems.filter(({ severity }) => severity === 'error').length ?? 0
  const channel: ChainLink = {
    name: 'channel',
    title: 'Channel',
    icon: 'channels',
    main: (
      <Link to={`/channels?channel=${encodeURIComponent(move?.channel ?? ref ?? '')}`} title={ref}>
        {cutMiddle(ref ?? '', mostRefCharacters)}
      </Link>
    ),
    sub:
      move === null
        ? 'not read yet'
        : `moved ${ago(move.observedAt)}${move.facts === null ? '' : ` by ${(move.facts.tag ?? move.facts.commit).name}`}`,
  }
  return [
    {
      name: 'source',
      title: 'Source',
      icon: 'git',
      main: `${repositoryName(url)}${more > 0 ? ` and ${more} more` : ''}`,
      sub: followed?.polledAt ? (
        <>
          polled <Time at={followed.polledAt} />
        </>
      ) : (
        'not polled yet'
      ),
    },
    ...(ref === undefined ? [] : [channel]),
    {
      name: 'package',
      title: 'Package',
      icon: 'box',
      main: <Commit id={desired} links={web} />,
      sub:
        errors > 0
          ? counted(errors, 'error')
          : move?.facts && move.to?.commit === desired
            ? firstLine(move.facts.commit.message)
            : packagePath(source),
    },
    {
      name: 'plan',
      title: 'Plan',
      icon: 'plan',
      main: run?.plan ? <Counts of={run.changes} /> : planWord(stack),
      sub: stack.status.state === 'Needs approval' ? 'needs approval' : <Time at={stack.lastRun?.finishedAt} />,
    },
    {
      name: 'target',
      title: 'Target',
      icon: 'targets',
      main: applied === undefined ? 'nothing applied' : <Commit id={applied} links={web} />,
      sub: (
        <>
          {stack.target}, checked <Time at={stack.checkedAt} />
        </>
      ),
    },
  ]
}

function packagePath(source: StackView['sources'][number] | undefined): string {
  return source !== undefined && 'path' in source && source.path ? source.path : 'the whole source'
}

function planWord({ lastRun }: StackView): string {
  if (lastRun === null) return 'none yet'
  return lastRun.outcome === 'applied'
    ? 'applied'
    : lastRun.outcome === 'unchanged'
      ? 'no changes'
      : (lastRun.outcome ?? lastRun.phase)
}

/** The reason, what gitmoor does next by itself, and what a person can do. */
function Because({ stack, explanation, run }: ChainProps) {
  const { name, status } = stack
  const problems = run?.problems.filter(({ severity }) => severity === 'error').slice(0, 4) ?? []
  const steps = explanation.status.next
  const advice = steps
    .filter(({ verb, purpose }) => verb === 'edit' && purpose !== '')
    .map(({ purpose }) => tidy(purpose))
  const actions = steps.flatMap(({ verb, args }) => actionOf(verb, args) ?? []).slice(0, 2)
  const commands = steps.filter(
    ({ verb, args, cli }) => cli !== '' && actionOf(verb, args) === undefined && !/^(plan|approve)$/.test(verb),
  )
  return (
    <>
      <div class="text">
        {status.state === 'Failed' && problems.length > 0 ? (
          problems.map(({ message, place }) => (
            <p key={message}>
              {place !== undefined && (
                <code class="place">
                  {place.file}:{place.line}
                </code>
              )}{' '}
              {tidy(message)}
            </p>
          ))
        ) : (
          <p>{reasonOf(stack)}</p>
        )}
        <p class="dim">{[nextByItself(stack), ...advice.map(withFullStop)].filter(Boolean).join(' ')}</p>
      </div>
      <div class="actions">
        {status.state === 'Needs approval' && (
          <Link class="btn primary" to={stackPath(name, 'plan')}>
            Review plan
          </Link>
        )}
        {status.state === 'Drifted' && (
          <Link class="btn primary" to={stackPath(name, 'drift')}>
            Compare
          </Link>
        )}
        {status.state === 'Failed' && actions.length === 0 && (
          <ActionButton action={{ ...syncStack(name), label: 'Retry now' }} />
        )}
        {actions.map((action) => (
          <ActionButton key={action.cli} action={action} />
        ))}
        {commands.slice(0, 1).map(({ cli }) => (
          <Cli key={cli} text={cli} />
        ))}
      </div>
    </>
  )
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function nextByItself({ status: { state, reason }, spec }: StackView): string {
  if (state === 'Needs approval') return 'gitmoor applies nothing until you approve.'
  if (state === 'Drifted') return spec.drift === 'report' ? 'This stack only reports drift.' : ''
  if (state === 'Failed')
    return reason === 'FetchFailed' ? 'gitmoor polls again by itself.' : 'gitmoor continues with the next revision.'
  return ''
}

/** The other reasons, counted. */
function Also({ explanation: { blockers, status } }: { readonly explanation: Explanation }) {
  const others = blockers.filter(({ reason }) => status.also.includes(reason))
  if (others.length === 0) return null
  return (
    <details class="also">
      <summary>{counted(others.length, 'other reason')}</summary>
      {others.map(({ reason, message }) => (
        <p key={reason}>{tidy(message)}</p>
      ))}
    </details>
  )
}
