import type { VectorizeBinding } from '#objects/search-shard/vectors/vectorize.ts';
import { cosine } from '#src/search/vectors.ts';
import type { LossOrder } from '#test/vendors/losses.ts';

interface Mutation {
  isShown: boolean;
  upserted: VectorizeVector[];
  deleted: string[];
}

/**
 * In-memory Vectorize index that follows the platform documentation. Changes become visible later and
 * possibly out of order, controlled by the test or `lag`. Requests over a limit are rejected. Scores are
 * approximate.
 */
export class VectorizeInMemory implements VectorizeBinding {
  readonly mutations: Mutation[] = [];
  /** Number of calls by method name. */
  readonly calls: Record<string, number> = {};
  /** Number of calls until a change becomes visible. If `undefined`, changes wait for `show`. */
  lag: number | undefined;
  /** Error message of the next calls. */
  failure: string | undefined;
  readonly #dimension: number;
  #sinceShown = 0;
  #remembered = 0;

  constructor(dimension: number, lag?: number) {
    this.#dimension = dimension;
    this.lag = lag;
  }

  /** Loses data, as when an index is recreated or restored to an older state. */
  lose(order: LossOrder): void {
    if (order === 'remember') this.#remembered = this.mutations.length;
    if (order === 'dropped' || order === 'truncated') this.mutations.length = 0;
    if (order === 'older') this.mutations.length = this.#remembered;
    if (order === 'halved') {
      this.mutations.push({ isShown: true, upserted: [], deleted: this.ids.filter((_, at) => at % 2 === 0) });
    }
  }

  /** Makes the given changes visible, or all changes by default. */
  show(which = this.mutations): void {
    for (const mutation of which) mutation.isShown = true;
  }

  /** Ids that queries can find. */
  get ids(): string[] {
    return [...this.#visible().keys()];
  }

  async upsert(vectors: VectorizeVector[]): Promise<VectorizeAsyncMutation> {
    this.#called('upsert');
    if (vectors.length === 0 || vectors.length > 1_000)
      throw new Error(`${vectors.length} vectors in a batch`);
    for (const { id, namespace = '', values } of vectors) {
      if (bytes(id) > 64 || bytes(namespace) > 64) throw new Error(`longer than 64 bytes: ${id}`);
      this.#check(values);
    }
    return this.#enter({
      upserted: vectors.map((each) => ({ ...each, values: [...each.values] })),
      deleted: [],
    });
  }

  async deleteByIds(ids: string[]): Promise<VectorizeAsyncMutation> {
    this.#called('deleteByIds');
    if (ids.length === 0 || ids.length > 100) throw new Error(`too many ids in payload: ${ids.length}`);
    return this.#enter({ upserted: [], deleted: [...ids] });
  }

  async getByIds(ids: string[]): Promise<VectorizeVector[]> {
    this.#called('getByIds');
    if (ids.length === 0 || ids.length > 20) throw new Error(`too many ids in payload: ${ids.length}`);
    const visible = this.#visible();
    return ids.flatMap((id) => visible.get(id) ?? []);
  }

  async query(
    vector: VectorFloatArray | number[],
    { topK = 5, namespace, returnMetadata, returnValues, filter }: VectorizeQueryOptions = {},
  ): Promise<VectorizeMatches> {
    this.#called('query');
    this.#check(vector);
    if (filter) throw new Error('the tests filter nothing in Vectorize');
    const most = returnValues || returnMetadata === true || returnMetadata === 'all' ? 20 : 100;
    if (topK < 1 || topK > most) throw new Error(`topK ${topK} is more than ${most}`);
    const matches = [...this.#visible().values()]
      .filter((each) => namespace === undefined || each.namespace === namespace)
      .map(({ id, values }) => ({ id, score: cosine(Float32Array.from(vector), Float32Array.from(values)) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, topK)
      .map(({ id, score }) => ({ id, score: Math.round(score * 10) / 10 }));
    return { matches, count: matches.length };
  }

  #called(method: string): void {
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    if (this.failure) throw new Error(this.failure);
    this.#sinceShown++;
    if (this.lag === undefined || this.#sinceShown <= this.lag) return;
    this.#sinceShown = 0;
    // Shows the latest changes first, so that changes appear out of order.
    this.show(this.mutations.filter(({ isShown }) => !isShown).slice(-1));
  }

  #check(values: VectorFloatArray | number[]): void {
    if (values.length !== this.#dimension)
      throw new Error(`${values.length} dimensions, not ${this.#dimension}`);
    if (![...values].every(Number.isFinite)) throw new Error('not a number');
  }

  #enter(change: Pick<Mutation, 'upserted' | 'deleted'>): VectorizeAsyncMutation {
    this.mutations.push({ isShown: false, ...change });
    return { mutationId: crypto.randomUUID() };
  }

  /** Returns the state after the visible changes. */
  #visible(): Map<string, VectorizeVector> {
    const visible = new Map<string, VectorizeVector>();
    for (const { isShown, upserted, deleted } of this.mutations) {
      if (!isShown) continue;
      for (const vector of upserted) visible.set(vector.id, vector);
      for (const id of deleted) visible.delete(id);
    }
    return visible;
  }
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
