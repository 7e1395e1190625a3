// The driver of dashboards: cells are compared and changed one by one, so links to them, and what packages do not
// manage, stay.
import type { Identity } from '../../model/address.js'
import { Unavailable } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import { chartFromView, dashboardCells } from '../kinds/kinds.js'
import { pausesMs } from './server/api-client.js'
import { NotFound } from './server/api-errors.js'
import { cellChanges, mapsIn, type Cell } from './cells.js'
import { isResource, resourceOf, type ApiResource } from './families.js'
import { ResourceDriver } from './resource-driver.js'
import { endAll } from './end-all.js'

export class DashboardDriver extends ResourceDriver {
  /**
   * A dashboard is created with its cells. InfluxDB reads their views one level too deep, so they are given at both
   * levels; the update that completes the creation draws what a server left out.
   */
  protected override async body(state: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const cells = dashboardCells(state, '').map(({ x, y, w, h, name, properties }) => ({
      x,
      y,
      w,
      h,
      name,
      properties: { ...properties, properties },
    }))
    return { ...(await super.body(state, signal)), ...(cells.length === 0 ? {} : { cells }) }
  }

  /** The answer lacks the views. */
  protected override async observedNew({ id }: ApiResource, signal: AbortSignal): Promise<Observed> {
    return this.observedOne(await this.#form(id, signal))
  }

  /** Its name comes last: until then, the trace of its creation is found. */
  override async update(now: Observed, state: JsonObject, signal: AbortSignal): Promise<Observed> {
    const there = await this.#draw(now.identity, state, signal)
    const { name, description } = await super.body(state, signal)
    if (there['name'] === name && (there['description'] ?? '') === description) return this.observedOne(there)
    const path = this.organisation.pathOf('Dashboard', now.identity)
    const body = { name: name!, description: description! }
    const { cells: _withoutViews, ...named } = resourceOf(
      await this.write({ method: 'PATCH', path, body }, signal),
      path,
    )
    return this.observedOne({ ...named, cells: there['cells']! })
  }

  /**
   * The dashboard with its cells drawn. A cell whose answer was lost is there or not: reading again shows what is left
   * to do.
   */
  async #draw(id: Identity, state: JsonObject, signal: AbortSignal): Promise<ApiResource> {
    for (let attempt = 0; ; attempt++) {
      const there = await this.#form(id, signal)
      try {
        return (await this.#changeCells(there, state, signal)) ? await this.#form(id, signal) : there
      } catch (error) {
        const pauseMs = pausesMs[attempt]
        if (!(error instanceof Unavailable) || pauseMs === undefined) throw error
        await this.organisation.clock.sleep(pauseMs, signal)
      }
    }
  }

  async #form(id: string, signal: AbortSignal): Promise<ApiResource> {
    const path = `${this.organisation.pathOf('Dashboard', id)}?include=properties`
    return resourceOf(await this.organisation.client.request({ method: 'GET', path }, signal), path)
  }

  /** False if all are as desired. */
  async #changeCells(there: ApiResource, state: JsonObject, signal: AbortSignal): Promise<boolean> {
    const cells = mapsIn(there['cells']).filter(isResource)
    const charts = this.#normalised(cells.map((cell) => chartFromView(cell)))
    const actual: readonly Cell[] = cells.map(({ id }, at) => ({ id, chart: charts[at]! }))
    const drawn = dashboardCells(state, there.id)
    const { moved, redrawn, added, removed } = cellChanges(actual, this.#normalised(mapsIn(state['charts'])))
    const path = `${this.organisation.pathOf('Dashboard', there.id)}/cells`
    const draw = async (id: string, at: number): Promise<void> => {
      const { name, properties } = drawn[at]!
      await this.write({ method: 'PATCH', path: `${path}/${id}/view`, body: { name, properties } }, signal)
    }
    const place = ({ x, y, w, h }: (typeof drawn)[number]): JsonObject => ({ x, y, w, h })
    const changes = [
      ...moved.map(({ id, at }) =>
        this.write({ method: 'PATCH', path: `${path}/${id}`, body: place(drawn[at]!) }, signal),
      ),
      ...redrawn.map(({ id, at }) => draw(id, at)),
      ...added.map(async (at) => draw(await this.#add(path, place(drawn[at]!), signal), at)),
      ...removed.map((id) => this.#remove(`${path}/${id}`, signal)),
    ]
    await endAll(changes)
    return changes.length > 0
  }

  async #add(path: string, body: JsonObject, signal: AbortSignal): Promise<string> {
    return resourceOf(await this.write({ method: 'POST', path, body }, signal), path).id
  }

  async #remove(path: string, signal: AbortSignal): Promise<void> {
    try {
      await this.write({ method: 'DELETE', path }, signal)
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
    }
  }

  #normalised(charts: readonly JsonObject[]): readonly JsonObject[] {
    return this.kind.normalise({ charts })['charts'] as readonly Json[] as readonly JsonObject[]
  }
}
