// Why is this resource in this state?
import { useRead } from '../../data/read.js'
import type { ResourceDetail } from '../../data/types.js'
import { segments, stackPath } from '../../lib/route.js'
import { tidy } from '../../lib/text.js'
import { Clis, Empty, Fact, StackCrumbs, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Loaded, Section } from '../../parts/section.js'
import { ChangeBox, Field } from '../plan/change.js'
import { concernsStack, stackUrl } from '../../data/stack-url.js'

export function Resource() {
  const [, name = '', , ...rest] = segments.value
  const address = rest.join('/')
  const read = useRead<ResourceDetail>(
    stackUrl(name, `/explain/resources/${rest.map(encodeURIComponent).join('/')}`),
    concernsStack(name),
  )
  return (
    <>
      <StackCrumbs stack={name} here={address} />
      <Loaded read={read} rows={6} what={address}>
        {(resource) => <Shown stack={name} resource={resource} />}
      </Loaded>
    </>
  )
}

const actions = { create: 'Created', update: 'Changed', remove: 'Removed', untrack: 'Untracked' }

function Shown({ stack, resource }: { readonly stack: string; readonly resource: ResourceDetail }) {
  const {
    address,
    kind,
    displayName,
    id,
    lastChange,
    owner,
    sharers,
    needs,
    neededBy,
    drift,
    unhealthy,
    change,
    protected: isProtected,
  } = resource
  const differs = drift !== undefined && (drift.gone || drift.fields.length > 0)
  return (
    <>
      <header class="top">
        <div>
          <h1 class="with-state">
            {displayName}
            {differs && (
              <span class="state solid s-drifted">
                <Icon name="drifted" />
                Drifted
              </span>
            )}
          </h1>
          <p class="sub">
            {lastChange === null ? (
              'No change of it is stored.'
            ) : (
              <>
                {actions[lastChange.action]} <Time at={lastChange.at} /> by{' '}
                <Link to={stackPath(stack, 'runs', lastChange.run)}>
                  <b>run {lastChange.run}</b>
                </Link>
                {lastChange.cause !== null && `: ${tidy(lastChange.cause)}`}
              </>
            )}
          </p>
        </div>
      </header>
      {typeof unhealthy === 'string' && (
        <div class="call s-degraded">
          <Icon name="degraded" size={18} />
          <div>{unhealthy}</div>
        </div>
      )}
      <dl class="facts-list">
        <Fact name="Kind" note={address}>
          {kind}
        </Fact>
        <Fact name="Id on the target">{id}</Fact>
        <Fact name="Owner" note={sharers.length > 0 ? `shared with ${sharers.join(', ')}` : undefined}>
          {owner?.stack ?? 'no stack'}
        </Fact>
        <Fact name="Removal">{isProtected ? 'protected' : 'not protected'}</Fact>
        <Fact name="Needs">{links(stack, needs)}</Fact>
        <Fact name="Needed by">{links(stack, neededBy)}</Fact>
      </dl>
      {differs && (
        <Section id="drift" title="Changed by hand">
          {drift.gone ? (
            <Empty>The target no longer has it.</Empty>
          ) : (
            <div class="change c-mod">
              <div class="fields">
                {drift.fields.map(({ path, applied, actual }) => (
                  <Field
                    key={path}
                    field={{
                      path,
                      ...(applied !== undefined && { old: applied }),
                      ...(actual !== undefined && { new: actual }),
                    }}
                  />
                ))}
              </div>
            </div>
          )}
        </Section>
      )}
      <Section id="last" title="Last change">
        {change === null ? (
          <Empty>No plan with this resource is stored.</Empty>
        ) : (
          <ChangeBox change={change} parts={[]} isOpen />
        )}
      </Section>
      <Clis of={[`gitmoor explain ${stack} ${address}`]} />
    </>
  )
}

function links(stack: string, addresses: readonly string[]) {
  if (addresses.length === 0) return 'nothing'
  return addresses.slice(0, 12).map((address) => (
    <div key={address}>
      <Link to={`${stackPath(stack, 'resources')}/${address}`}>
        <code>{address}</code>
      </Link>
    </div>
  ))
}
