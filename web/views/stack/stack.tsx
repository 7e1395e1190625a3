// Why is the stack in this state?
import { ActionButton } from '../../parts/actions.js'
import { resumeStack, suspendStack, syncStack, unpinStack } from '../../actions.js'
import { ask } from '../../ask.js'
import { useReadWhenDue } from '../../data/due.js'
import { useRead, type Read } from '../../data/read.js'
import { concernsStack, stackUrl } from '../../data/stack-url.js'
import type { Explanation, Page, RunRow, StackResource, RunView, StackView } from '../../data/types.js'
import { useKeys } from '../../lib/keys.js'
import { segments } from '../../lib/route.js'
import { linksOfSources } from '../../lib/links.js'
import { repositoryName } from '../../lib/text.js'
import { dayText } from '../../lib/time.js'
import { Clis, Crumbs, Fact, State, Time, Until } from '../../parts/basics.js'
import { Link } from '../../parts/link.js'
import { Loaded, Section } from '../../parts/section.js'
import { refOf } from '../overview.js'
import { Chain } from './chain.js'
import { Headline } from './headline.js'
import { History } from './history.js'
import { Resources } from './resources.js'

export function Stack() {
  const name = segments.value[1] ?? ''
  const read = useRead<StackView>(stackUrl(name), concernsStack(name))
  useKeys({
    s: () => ask(syncStack(name), name),
  })
  return (
    <>
      <Crumbs to={[['/stacks', 'Stacks']]} here={name} />
      <Loaded read={read} rows={6} what="the stack">
        {(stack) => <Shown stack={stack} read={read} />}
      </Loaded>
    </>
  )
}

interface ShownProps {
  readonly stack: StackView
  readonly read: Read<StackView>
}

function Shown({ stack, read }: ShownProps) {
  const { name, displayName, status } = stack
  const concerns = concernsStack(name)
  const explanation = useRead<Explanation>(
    stackUrl(name, '/explain'),
    (changes) => concerns(changes) || changes.channels,
  )
  const { nextDriftCheckAt, nextRetryAt } = explanation.data.value ?? {}
  useReadWhenDue([stack.nextPollAt, nextDriftCheckAt, nextRetryAt], [read, explanation])
  const runs = useRead<Page<RunRow>>(stackUrl(name, '/runs?limit=20'), concerns)
  const resources = useRead<Page<StackResource>>(stackUrl(name, '/resources?limit=200'), concerns)
  const isOpen = status.state === 'Needs approval' || status.state === 'Failed'
  const lastId = isOpen ? stack.lastRun?.id : undefined
  const last = useRead<RunView>(lastId === undefined ? undefined : stackUrl(name, `/runs/${lastId}`), concerns)
  return (
    <>
      <header class="top">
        <div>
          <h1 class="with-state">
            {name}
            <State of={status.state} solid />
          </h1>
          {displayName !== name && <p class="display-name">{displayName}</p>}
          <p class="sub">
            <Headline stack={stack} />
          </p>
        </div>
        <div class="actions">
          <ActionButton action={syncStack(name)} />
          {stack.pinned !== null && <ActionButton action={unpinStack(name)} />}
          <ActionButton action={stack.suspended === null ? suspendStack(name) : resumeStack(name)} />
        </div>
      </header>
      <Loaded read={explanation} rows={3} what="the explanation">
        {(data) => <Chain stack={stack} explanation={data} run={last.data.value ?? undefined} />}
      </Loaded>
      <div class="columns even">
        <Loaded read={resources} rows={5} what="the resources">
          {(page) => <Resources stack={name} items={page.items} plan={last.data.value?.plan ?? null} />}
        </Loaded>
        <Section
          id="history"
          title="History"
          note={<Link to={`/history?stack=${encodeURIComponent(name)}`}>All runs</Link>}
        >
          <Loaded read={runs} rows={5} what="the history">
            {(page) => (
              <History
                stack={name}
                runs={page.items}
                applied={stack.revision.applied}
                links={linksOfSources(stack.sources)}
              />
            )}
          </Loaded>
        </Section>
      </div>
      <Settings stack={stack} />
      <Clis of={[`gitmoor explain ${name}`, `gitmoor sync ${name}`]} />
    </>
  )
}

function Settings({ stack }: { readonly stack: StackView }) {
  const { target, sources, checkedAt, managedBy, createdAt, nextPollAt, spec } = stack
  const [source] = sources
  const owner =
    managedBy === 'file' ? 'the configuration file' : managedBy === 'api' ? 'the API' : managedBy.replace(':', ' ')
  return (
    <dl class="facts-list">
      <Fact
        name="Target"
        note={
          <>
            checked <Time at={checkedAt} />
          </>
        }
      >
        {target}
      </Fact>
      <Fact
        name="Follows"
        note={source !== undefined && 'path' in source && source.path ? `in ${source.path}` : 'its root'}
      >
        {refOf(sources)} {source !== undefined && 'url' in source && <>of {repositoryName(source.url)}</>}
      </Fact>
      <Fact name="Declared by" note={`since ${dayText(createdAt)}`}>
        {owner}
      </Fact>
      <Fact name="Next poll" note={`drift: ${spec.drift}, apply: ${spec.apply}`}>
        <Until at={nextPollAt} />
      </Fact>
    </dl>
  )
}
