// The mutations: each operator takes one node of the syntax tree and returns possible replacements.

/** A node as the parser gives it; its other fields are nodes, lists of nodes and plain values. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

export interface Around {
  readonly textOf: (node: Node) => string
  /** The annotated result of the function that the node is in, `Promise<…>` taken away. */
  readonly returns: string
  readonly parent: Node | undefined
}

/** What becomes of a part of the file. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly becomes: string
}

type Operator = (node: Node, around: Around) => readonly Edit[]

const swapped: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '++': '--',
  '--': '++',
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
}

const dropped = ['filter', 'slice', 'reverse', 'toReversed', 'toSorted', 'sort']

export const operators: Readonly<Record<string, Operator>> = {
  condition: (node, { textOf }) => {
    if (!['IfStatement', 'ConditionalExpression', 'WhileStatement'].includes(node.type)) return []
    const test = node['test'] as Node
    if (/^[!=]==$/.test(test['operator'] as string)) return []
    return [whole(test, `!(${textOf(test)})`)]
  },
  comparison: (node) => (node.type === 'BinaryExpression' ? signOf(node) : []),
  logic: (node) => (node.type === 'LogicalExpression' ? signOf(node) : []),
  counting: (node, { textOf }) => {
    if (node.type !== 'UpdateExpression') return []
    const operator = node['operator'] as string
    return [whole(node, textOf(node).replace(operator, swapped[operator]!))]
  },
  statement: (node) =>
    ['ExpressionStatement', 'ContinueStatement', 'BreakStatement', 'ThrowStatement'].includes(node.type)
      ? [whole(node, ';')]
      : [],
  result: (node, { textOf, returns }) => {
    const value = resultOf(node)
    return value === undefined ? [] : insteadOf(textOf(value), returns).map((becomes) => whole(value, becomes))
  },
  constant: (node, { textOf, parent }) => {
    if (node.type === 'TemplateLiteral') return isProse(textOf(node)) ? [] : [whole(node, "''")]
    if (node.type !== 'Literal' || isName(node, parent)) return []
    const value = node['value']
    if (typeof value === 'boolean') return [whole(node, String(!value))]
    if (typeof value === 'number') return [whole(node, String(value + 1))]
    if (typeof value !== 'string' || isProse(value)) return []
    return [whole(node, value === '' ? "'mutant'" : "''")]
  },
  element: (node) => (node.type === 'ArrayExpression' ? elementsOf(node) : []),
  spread: (node, { parent }) =>
    node.type === 'SpreadElement' ? [whole(node, parent?.type === 'ObjectExpression' ? '...{}' : '...[]')] : [],
  list: (node, { textOf }) => {
    const callee = calleeOf(node)
    return callee !== undefined && dropped.includes(callee.name) ? [whole(node, textOf(callee.object))] : []
  },
  quantifier: (node) => {
    const callee = calleeOf(node)
    const other = callee && swapped[callee.name]
    return callee === undefined || other === undefined ? [] : [whole(callee.property, other)]
  },
  order: (node, { textOf }) => {
    const callee = calleeOf(node)
    const [compare] = (node['arguments'] ?? []) as readonly Node[]
    if (callee === undefined || compare === undefined || !/^(sort|toSorted)$/.test(callee.name)) return []
    return [whole(compare, `(x, y) => (${textOf(compare)})(y, x)`)]
  },
  chaining: (node) => {
    if (node['optional'] !== true) return []
    const from = ((node['object'] ?? node['callee']) as Node).end
    return [
      { start: from, end: from + 2, becomes: node.type === 'MemberExpression' && node['computed'] !== true ? '.' : '' },
    ]
  },
}

function whole({ start, end }: Node, becomes: string): Edit {
  return { start, end, becomes }
}

/** The sign between the two sides, as a whole expression, so that what it binds stays as it is. */
function signOf(node: Node): readonly Edit[] {
  const sign = swapped[node['operator'] as string]
  const { end: start } = node['left'] as Node
  const { start: end } = node['right'] as Node
  return sign === undefined ? [] : [{ start, end, becomes: ` ${sign} ` }]
}

function resultOf(node: Node): Node | undefined {
  if (node.type === 'ReturnStatement') return (node['argument'] ?? undefined) as Node | undefined
  const body = node['body'] as Node | undefined
  return node.type === 'ArrowFunctionExpression' && body?.type !== 'BlockStatement' ? body : undefined
}

function insteadOf(value: string, returns: string): readonly string[] {
  const others = /^(readonly )?[\w.<>, ]+\[\]$|^readonly /.test(returns)
    ? ['[]']
    : /^(Readonly)?Map</.test(returns)
      ? ['new Map()']
      : /^(Readonly)?Set</.test(returns)
        ? ['new Set()']
        : returns === 'boolean'
          ? ['true', 'false']
          : ['undefined']
  return others.filter((other) => other !== value)
}

/** Words for people: tests do not hold them, but by chance. */
function isProse(text: string): boolean {
  return text.split(' ').length > 3
}

/** A key, or the name of a module. */
function isName(node: Node, parent: Node | undefined): boolean {
  return parent !== undefined && ((parent['key'] === node && parent['computed'] !== true) || parent['source'] === node)
}

function elementsOf(node: Node): readonly Edit[] {
  const elements = node['elements'] as readonly Node[]
  return elements
    .filter(({ type }) => type !== 'SpreadElement')
    .map((element) => {
      const next = elements[elements.indexOf(element) + 1]
      return { start: element.start, end: next?.start ?? element.end, becomes: '' }
    })
}

interface Callee {
  readonly object: Node
  readonly property: Node
  readonly name: string
}

function calleeOf(node: Node): Callee | undefined {
  const callee = node['callee'] as Node | undefined
  if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression' || callee['computed'] === true)
    return undefined
  const property = callee['property'] as Node
  return { object: callee['object'] as Node, property, name: property['name'] as string }
}
