// Which resources are on this system, and who owns them?
import { useState } from 'preact/hooks'
import { message } from '../../actions.js'
import { call } from '../../data/call.js'
import { useRead } from '../../data/read.js'
import type { OverviewView } from '../../data/overview.js'
import type { Page, TargetView } from '../../data/types.js'
import type { TargetResource } from '../../../src/views/resource.js'
import type { TargetTestView } from '../../../src/views/target.js'
import { segments, stackPath } from '../../lib/route.js'
import { counted } from '../../lib/text.js'
import { Clis, Crumbs, Empty, Fact } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Loaded, Section } from '../../parts/section.js'
import { States } from './targets.js'

export function Target() {
  const name = segments.value[1] ?? ''
  const path = encodeURIComponent(name)
  const target = useRead<TargetView>(`targets/${path}`, ({ reset }) => reset)
  const resources = useRead<Page<TargetResource>>(`resources?target=${path}&limit=200`, ({ reset }) => reset)
  const counts = useRead<OverviewView>('overview?group=target').data.value?.targets?.find(
    (group) => group.target === name,
  )?.counts
  return (
    <>
      <Crumbs to={[['/targets', 'Targets']]} here={name} />
      <Loaded read={target} what="the target">
        {(shown) => <Facts target={shown} counts={counts} />}
      </Loaded>
      <Section id="resources" title="Resources" count={resources.data.value?.items.length}>
        <Loaded read={resources} what="the resources">
          {({ items }) => <Resources items={items} />}
        </Loaded>
      </Section>
      <Clis of={[`gitmoor target test ${name}`]} />
    </>
  )
}

function Facts({
  target,
  counts,
}: {
  readonly target: TargetView
  readonly counts: OverviewView['counts'] | undefined
}) {
  const { name, platform, labels, stacks, refused } = target
  const [test, setTest] = useState<TargetTestView>()
  const [isBusy, setBusy] = useState(false)
  const connect = (): void => {
    setBusy(true)
    void call<TargetTestView>('POST', `targets/${encodeURIComponent(name)}/test`, {})
      .then(setTest, (error: Error) => (message.value = { text: error.message }))
      .finally(() => setBusy(false))
  }
  const labelText = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return (
    <>
      <header class="top">
        <div>
          <h1>{name}</h1>
          <p class="sub">
            {refused === null ? `${counted(stacks, 'stack')} on this ${platform} target.` : refused.message}
          </p>
        </div>
        <button type="button" class="btn" disabled={isBusy} aria-busy={isBusy} onClick={connect}>
          Test the connection
        </button>
      </header>
      {test !== undefined && (
        <div class={`call s-${test.ok ? 'synced' : 'failed'}`} role="status">
          <Icon name={test.ok ? 'synced' : 'failed'} size={18} />
          <div>{test.ok ? `It answered in ${test.ms} ms.` : test.problem?.message}</div>
        </div>
      )}
      <dl class="facts-list">
        <Fact name="Platform">{platform}</Fact>
        <Fact name="Labels">{labelText.length === 0 ? 'none' : labelText.join(', ')}</Fact>
        <Fact name="Stacks">{counts === undefined ? stacks : <States counts={counts} target={name} />}</Fact>
      </dl>
    </>
  )
}

function Resources({ items }: { readonly items: readonly TargetResource[] }) {
  if (items.length === 0) return <Empty>The target has no resources.</Empty>
  const sorted = [...items].sort(
    (a, b) => Number(a.stack !== null) - Number(b.stack !== null) || a.displayName.localeCompare(b.displayName),
  )
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Resources of the target">
      <table class="list">
        <thead>
          <tr>
            <th>Resource</th>
            <th>Kind</th>
            <th>Owner</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ id, family, displayName, stack }) => (
            <tr key={`${family} ${id}`}>
              <td>
                <Icon name={family} /> <b>{displayName}</b>
                <small>{id}</small>
              </td>
              <td>{family}</td>
              <td>
                {stack === null ? <span class="chip">unmanaged</span> : <Link to={stackPath(stack)}>{stack}</Link>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
