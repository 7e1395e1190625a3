// The targets, and how the stacks on them are.
import { useRead } from '../../data/read.js'
import type { OverviewView } from '../../data/overview.js'
import { stateKeys, stateWords } from '../../data/states.js'
import type { Page, TargetView } from '../../data/types.js'
import { counted, naturally } from '../../lib/text.js'
import { Clis } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Loaded } from '../../parts/section.js'

export function Targets() {
  const read = useRead<Page<TargetView>>('targets?limit=500', ({ reset }) => reset)
  const groups = useRead<OverviewView>('overview?group=target').data.value?.targets ?? []
  return (
    <Loaded read={read} rows={5} what="the targets">
      {({ items }) => {
        const used = items.filter(({ stacks }) => stacks > 0).length
        const refused = items.filter((target) => target.refused !== null).length
        return (
          <>
            <header class="top">
              <div>
                <h1>{counted(items.length, 'target')}</h1>
                <p class="sub">
                  Stacks use {used === items.length ? (used === 1 ? 'it' : 'all of them') : used === 0 ? 'none' : used}.
                  {refused > 0 && ` gitmoor cannot use ${refused}: see below.`}
                </p>
              </div>
            </header>
            <div class="box">
              <table class="list">
                <thead>
                  <tr>
                    <th>Target</th>
                    <th class="wide">Platform</th>
                    <th>Stacks</th>
                    <th>States</th>
                  </tr>
                </thead>
                <tbody data-entries>
                  {items
                    .toSorted((a, b) => naturally(a.name, b.name))
                    .map((target) => (
                      <Row
                        key={target.name}
                        target={target}
                        counts={groups.find((group) => group.target === target.name)?.counts}
                      />
                    ))}
                </tbody>
              </table>
            </div>
            <Clis of={['gitmoor target list']} />
          </>
        )
      }}
    </Loaded>
  )
}

function Row({ target, counts }: { readonly target: TargetView; readonly counts: OverviewView['counts'] | undefined }) {
  const { name, platform, stacks, refused } = target
  return (
    <tr>
      <td>
        <Link to={`/targets/${encodeURIComponent(name)}`}>
          <b>{name}</b>
        </Link>
        {refused !== null && <small class="del">{refused.message}</small>}
      </td>
      <td class="wide">{platform}</td>
      <td>{stacks}</td>
      <td>{counts !== undefined && <States counts={counts} target={name} />}</td>
    </tr>
  )
}

export function States({ counts, target }: { readonly counts: OverviewView['counts']; readonly target: string }) {
  return (
    <span class="mini-states">
      {stateWords
        .filter((state) => counts[state] > 0)
        .map((state) => (
          <Link
            key={state}
            class={`s-${stateKeys[state]}`}
            to={`/stacks?target=${encodeURIComponent(target)}&state=${stateKeys[state]}`}
          >
            <Icon name={stateKeys[state]} size={13} /> {counts[state]} {state}
          </Link>
        ))}
    </span>
  )
}
