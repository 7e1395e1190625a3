import { printable } from '../../lib/text/printable.js'
import { shellWord } from '../../lib/text/shell-word.js'
import type { UnmanagedView } from '../../views/packages/unmanaged.js'
import { wrappedLines } from './next-lines.js'
import { numberOf } from './short-forms.js'
import { section, table } from './table.js'
import type { Display } from './text.js'

/** What no stack manages: a line for each family, and for each stack that the target keeps itself. */
export function unmanagedLines(view: UnmanagedView, display: Display): readonly string[] {
  const { target, managed, families, stacks } = view
  const count = families.reduce((sum, family) => sum + family.count, 0)
  const managing = `Stacks manage ${numberOf(managed, 'resource')} on target ${printable(target)}`
  const others = count === 0 ? 'nothing else exists there' : `${count} ${count === 1 ? 'is' : 'are'} unmanaged`
  return [
    `${managing}; ${others}.`,
    ...section(familyTable(view, display)),
    ...section(stackTable(stacks, display)),
    ...nextSteps(view, display),
  ]
}

function familyTable({ families }: UnmanagedView, display: Display): readonly string[] {
  if (families.length === 0) return []
  const rows = families.map(({ family, count, names }) => {
    const more = count > names.length ? `, and ${count - names.length} more` : ''
    return [printable(family), String(count), printable(names.join(', ')) + more]
  })
  return table(['FAMILY', 'COUNT', { heading: 'NAMES', fit: 'wrap' }], rows, display)
}

function stackTable(stacks: UnmanagedView['stacks'], display: Display): readonly string[] {
  if (stacks.length === 0) return []
  const rows = stacks.map(({ id, name, resources, unmanaged, stacks: managing }) => [
    printable(id),
    printable(name) || '-',
    String(resources),
    String(unmanaged),
    printable(managing.join(', ')) || '-',
  ])
  return table(['STACK OF THE TARGET', 'NAME', 'LISTS', 'UNMANAGED', 'MANAGED BY'], rows, display)
}

function nextSteps({ target, families, stacks }: UnmanagedView, { width }: Display): readonly string[] {
  const word = shellWord(target)
  const foreign = stacks.find(({ unmanaged }) => unmanaged > 0)
  const steps = [
    ...(foreign === undefined
      ? []
      : [`Take over a stack: gitmoor import --target ${word} --stack-id ${shellWord(foreign.id)} --repo URL`]),
    ...(families.length === 0
      ? []
      : [
          `Write a package of what is unmanaged: gitmoor export --target ${word} --unmanaged -f package.yml`,
          `Then take it over: gitmoor import --target ${word} --name NAME --repo URL`,
        ]),
  ]
  return steps.flatMap((step) => wrappedLines('  next: ', printable(step), width))
}
