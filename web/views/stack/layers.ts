// A layered layout: the layer of a vertex is the longest way to it; four sweeps order each layer by its neighbours.

const sweeps = 4

/** Layers of vertices, in their order. Edges of a cycle do not make it longer. */
export function layered(
  vertices: readonly string[],
  edges: readonly (readonly [from: string, to: string])[],
): readonly (readonly string[])[] {
  const rank = ranks(vertices, edges)
  const layers: string[][] = []
  for (const vertex of vertices) (layers[rank.get(vertex)!] ??= []).push(vertex)
  const before = neighbours(vertices, edges, 0)
  const after = neighbours(vertices, edges, 1)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0
    const near = isForward ? before : after
    for (const layer of isForward ? layers : [...layers].reverse()) sortByNeighbours(layer, layers, near)
  }
  return layers
}

function ranks(vertices: readonly string[], edges: readonly (readonly [string, string])[]): Map<string, number> {
  const rank = new Map(vertices.map((vertex) => [vertex, 0]))
  for (let round = 0, isChanged = true; isChanged && round < vertices.length; round++) {
    isChanged = false
    for (const [from, to] of edges) {
      const least = rank.get(from)! + 1
      if (rank.get(to)! >= least || least >= vertices.length) continue
      rank.set(to, least)
      isChanged = true
    }
  }
  const used = [...new Set(rank.values())].sort((a, b) => a - b)
  return new Map([...rank].map(([vertex, at]) => [vertex, used.indexOf(at)]))
}

/** `end` 0: what an edge comes from; 1: what it goes to. */
function neighbours(
  vertices: readonly string[],
  edges: readonly (readonly [string, string])[],
  end: 0 | 1,
): ReadonlyMap<string, readonly string[]> {
  const near = new Map(vertices.map((vertex) => [vertex, [] as string[]]))
  for (const edge of edges) near.get(edge[1 - end]!)!.push(edge[end])
  return near
}

function sortByNeighbours(
  layer: string[],
  layers: readonly string[][],
  near: ReadonlyMap<string, readonly string[]>,
): void {
  const place = new Map(layers.flatMap((one) => one.map((vertex, at) => [vertex, at - (one.length - 1) / 2] as const)))
  const weight = new Map(
    layer.map((vertex) => {
      const places = near.get(vertex)!.map((one) => place.get(one)!)
      const mean = places.reduce((sum, one) => sum + one, 0) / places.length
      return [vertex, places.length === 0 ? place.get(vertex)! : mean]
    }),
  )
  layer.sort((a, b) => weight.get(a)! - weight.get(b)!)
}
