import { parseSync } from 'rolldown/utils'
import type { Mutant } from './mutant.js'
import { operators, type Node } from './operators.js'

/**
 * Everything in a file of TypeScript that an operator can change, in the order of the text. Types and imports are left
 * alone.
 */
export function findMutants(file: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  const walk = new Walk(file, text)
  walk.visit(program as unknown as Node, undefined, '')
  return walk.found.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

class Walk {
  readonly found: Mutant[] = []
  readonly #file: string
  readonly #text: string

  constructor(file: string, text: string) {
    this.#file = file
    this.#text = text
  }

  visit(node: Node, parent: Node | undefined, returns: string): void {
    if (isOfTypes(node)) return
    const inside = 'returnType' in node ? this.#returnsOf(node) : returns
    for (const [operator, edits] of Object.entries(operators))
      for (const edit of edits(node, { textOf: this.#textOf, returns: inside, parent }))
        this.found.push({
          ...edit,
          operator,
          file: this.#file,
          line: this.#lineOf(edit.start),
          was: this.#text.slice(edit.start, edit.end),
        })
    for (const child of childrenOf(node)) this.visit(child, node, inside)
  }

  readonly #textOf = (node: Node): string => this.#text.slice(node.start, node.end)

  #returnsOf(node: Node): string {
    const annotation = node['returnType'] as Node | null
    if (annotation === null) return ''
    return this.#textOf(annotation)
      .replace(/^\s*:\s*/, '')
      .replace(/^Promise<(.*)>$/, '$1')
  }

  #lineOf(offset: number): number {
    return this.#text.slice(0, offset).split('\n').length
  }
}

/** Nodes that type stripping removes; `as`, `!` and `satisfies` may contain an expression. */
function isOfTypes({ type }: Node): boolean {
  return type === 'ImportDeclaration' || (type.startsWith('TS') && !/^TS(As|NonNull|Satisfies)Expression$/.test(type))
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
