// The fields of a new stack.
import type { ComponentChildren, JSX } from 'preact'
import type { TargetView } from '../../data/types.js'
import { sourceKinds, type Draft, type SourceKind } from './draft.js'

interface DraftFieldsProps {
  readonly draft: Draft
  readonly change: (field: Partial<Draft>) => void
  readonly targets: readonly TargetView[]
  /** That other stacks follow. */
  readonly refs: readonly string[]
}

const places = {
  git: ['Repository', 'https://example.com/team/repository'],
  url: ['Address', 'https://example.com/package.tar.gz'],
  directory: ['Directory', '/srv/packages/boards'],
} as const

export function DraftFields({ draft, change, targets, refs }: DraftFieldsProps) {
  const { name, source, from, ref, path, target, interval, apply } = draft
  const text = (key: keyof Draft) => (event: { readonly currentTarget: { readonly value: string } }) =>
    change({ [key]: event.currentTarget.value })
  return (
    <>
      <div class="fields-grid">
        <Labelled name="Name" note="1 to 63 of a-z, 0-9 and -">
          <input
            class="field"
            required
            autofocus
            maxLength={63}
            pattern="[a-z0-9]([\-a-z0-9]*[a-z0-9])?"
            {...sayingRule('Write 1 to 63 of a-z, 0-9 and -, with a letter or a digit first and last.')}
            value={name}
            onInput={text('name')}
          />
        </Labelled>
        <Labelled name="Target" note="the system that the stack writes">
          <select class="field" value={target} onChange={text('target')}>
            {(targets.length === 0 ? [target] : targets.map((one) => one.name)).map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </Labelled>
      </div>
      <div class="fields-grid">
        <Labelled name="Source" note="where its package comes from">
          <select
            class="field"
            value={source}
            onChange={(event) => change({ source: event.currentTarget.value as SourceKind })}
          >
            {Object.entries(sourceKinds).map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </Labelled>
        {source !== 'inline' && (
          <Labelled name={places[source][0]}>
            <input class="field" required value={from} placeholder={places[source][1]} onInput={text('from')} />
          </Labelled>
        )}
        {source === 'git' && (
          <Labelled name="Channel or ref" note="a branch, a tag, or semver:RANGE; empty: HEAD">
            <input class="field" list="known-refs" value={ref} placeholder="HEAD" onInput={text('ref')} />
            <datalist id="known-refs">
              {refs.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          </Labelled>
        )}
        {(source === 'git' || source === 'url') && (
          <Labelled name="Path" note="a directory or a file in it; empty: all">
            <input class="field" value={path} onInput={text('path')} />
          </Labelled>
        )}
      </div>
      <div class="fields-grid">
        <Labelled name="Interval" note="how often gitmoor polls: 30s, 5m, 1h">
          <input
            class="field"
            required
            pattern="\d+(ms|s|m|h|d)"
            {...sayingRule('Write a number and a unit: 30s, 5m, 1h.')}
            value={interval}
            onInput={text('interval')}
          />
        </Labelled>
        <Labelled name="Approval" note="which plans a person approves">
          <select
            class="field"
            value={apply}
            onChange={(event) => change({ apply: event.currentTarget.value === 'approval' ? 'approval' : 'auto' })}
          >
            <option value="auto">only where a rule requires it</option>
            <option value="approval">every plan</option>
          </select>
        </Labelled>
      </div>
    </>
  )
}

/** The browser says this instead of "match the requested format". */
function sayingRule(rule: string) {
  const check = ({ currentTarget: field }: JSX.TargetedEvent<HTMLInputElement>): void => {
    field.setCustomValidity('')
    if (field.validity.patternMismatch) field.setCustomValidity(rule)
  }
  return { onInvalid: check, onChange: check }
}

function Labelled({
  name,
  note,
  children,
}: {
  readonly name: string
  readonly note?: string
  readonly children: ComponentChildren
}) {
  return (
    <label class="labelled">
      {name}
      {children}
      {note !== undefined && <small class="dim">{note}</small>}
    </label>
  )
}
