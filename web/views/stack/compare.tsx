// What is different between two runs?
import type { RunComparison } from '../../../src/views/run.js'
import { outcomeOf } from '../../data/causes.js'
import { useRead } from '../../data/read.js'
import { concernsStack, stackUrl } from '../../data/stack-url.js'
import type { Page, RunRow } from '../../data/types.js'
import { go, query, segments, stackPath, withQuery } from '../../lib/route.js'
import { counted, shortRevision } from '../../lib/text.js'
import { ago } from '../../lib/time.js'
import { Clis, Empty, StackCrumbs } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Loaded, Section } from '../../parts/section.js'
import { Field } from '../plan/change.js'
import { Changes } from '../plan/changes.js'
import { countsSentence } from '../plan/words.js'

export function Compare() {
  const [, name = ''] = segments.value
  const runs = useRead<Page<RunRow>>(stackUrl(name, '/runs?limit=100'), concernsStack(name))
  return (
    <>
      <StackCrumbs stack={name} here="Compare runs" />
      <Loaded read={runs} rows={6} what={`the runs of ${name}`}>
        {({ items }) => <Chosen stack={name} runs={items.filter(({ revision }) => revision !== '')} />}
      </Loaded>
    </>
  )
}

/** The runs of the address. Without `b`, the newest one; without `a`, the run that applied a package before `b`. */
function chosenRuns(runs: readonly RunRow[]): readonly [a: string, b: string] {
  const b = query.value.get('b') ?? runs[0]?.id ?? ''
  const at = runs.findIndex(({ id }) => id === b)
  const before = runs.slice(at + 1).find(({ outcome }) => outcome === 'applied')
  return [query.value.get('a') ?? before?.id ?? '', b]
}

function Chosen({ stack, runs }: { readonly stack: string; readonly runs: readonly RunRow[] }) {
  const [a, b] = chosenRuns(runs)
  const isChosen = a !== '' && b !== ''
  const read = useRead<RunComparison>(isChosen ? stackUrl(stack, `/runs/${a}/compare/${b}`) : undefined, () => false)
  const found = read.data.value
  return (
    <>
      <header class="top">
        <div>
          <h1>{found === undefined ? 'Compare runs' : sentence(found)}</h1>
          <p class="sub">What two runs declare, each with the settings that it read.</p>
        </div>
      </header>
      <div class="revisions compared">
        <Choice label="From run" value={a} name="a" runs={runs} />
        <Icon name="right" title="to" />
        <Choice label="To run" value={b} name="b" runs={runs} />
      </div>
      {isChosen ? (
        <Loaded read={read} rows={6} what="the comparison">
          {(comparison) => (
            <>
              {comparison.changes.length > 0 && <Changes plan={comparison} />}
              <Settings of={comparison} />
              <p class="links-line">
                <Link to={stackPath(stack, 'runs', a)}>Run {a}</Link>
                <Link to={stackPath(stack, 'runs', b)}>Run {b}</Link>
              </p>
            </>
          )}
        </Loaded>
      ) : (
        <Empty>Choose two runs.</Empty>
      )}
      {isChosen && <Clis of={[`gitmoor stack compare ${stack} ${a} ${b}`]} />}
    </>
  )
}

function sentence({ changes, counts, settings }: RunComparison): string {
  const differ = settings === null || settings.length === 0 ? '' : `${counted(settings.length, 'setting')} changed`
  if (changes.length > 0) return [countsSentence(counts), differ].filter(Boolean).join('; ')
  if (settings === null) return 'Both runs declare the same resources'
  return differ === '' ? 'No differences: both runs declare the same' : `The same resources; ${differ}`
}

/** The settings that differ. */
function Settings({ of: { settings } }: { readonly of: RunComparison }) {
  if (settings === null)
    return <p class="sub">The settings are not compared: an older version of gitmoor carried out one of the runs.</p>
  if (settings.length === 0) return null
  return (
    <Section id="settings" title="Settings" count={settings.length}>
      <div class="box fields setting-fields">
        {settings.map((field) => (
          <Field key={field.path} field={field} />
        ))}
      </div>
    </Section>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly name: 'a' | 'b'
  readonly value: string
  readonly runs: readonly RunRow[]
}

function Choice({ label, name, value, runs }: ChoiceProps) {
  const isListed = runs.some(({ id }) => id === value)
  return (
    <label>
      <span class="hidden-text">{label}</span>
      <select
        class="field"
        value={value}
        onChange={(event) => go(withQuery({ [name]: event.currentTarget.value }), { replace: true })}
      >
        <option value="">{label} …</option>
        {!isListed && value !== '' && <option value={value}>Run {value}</option>}
        {runs.map((run) => (
          <option key={run.id} value={run.id}>
            Run {run.id}, {outcomeOf(run)[1]}, {shortRevision(run.revision)}, {ago(run.createdAt)}
          </option>
        ))}
      </select>
    </label>
  )
}
