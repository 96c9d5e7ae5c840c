import type { Removal } from '#src/ports/shard.ts';
import { SinkError } from '#src/ports/sink.ts';
import { getFrequencyShare } from '#src/search/term-weights.ts';
import type {
  ChunkRecord,
  ChunkSearch,
  ChunkStore,
  FoundRecord,
  NewRecord,
} from '#src/sinks/native/ledger/chunk-store.ts';

type Found = FoundRecord & Pick<NewRecord, 'vector' | 'analysed'>;

/** Keeps the chunks of one index in memory. Its searches are exact. */
export class MemoryChunkStore implements ChunkStore {
  readonly limits = { points: 100, bytes: 1_000_000, largestPage: 10_000, lookedUp: 50 };
  readonly records = new Map<string, NewRecord>();
  /** Number of searches that were answered. */
  searches = 0;
  #dimension: number | undefined;

  async ensure(dimension: number): Promise<void> {
    this.#dimension ??= dimension;
    this.#check(dimension);
  }

  async write(records: NewRecord[]): Promise<void> {
    for (const { vector } of records) this.#check(vector.length);
    for (const record of records) this.records.set(record.rowId, structuredClone(record));
  }

  async update(changes: Omit<NewRecord, 'vector'>[]): Promise<void> {
    for (const change of changes) {
      const known = this.records.get(change.rowId);
      if (known) this.records.set(change.rowId, { ...known, ...structuredClone(change) });
    }
  }

  async lookUp(rowIds: string[]): Promise<Set<string>> {
    return new Set(rowIds.filter((id) => this.records.has(id)));
  }

  async remove(removals: Removal[]): Promise<void> {
    for (const { documentId, version } of removals) {
      for (const [rowId, record] of this.records) {
        if (record.chunk.documentId === documentId && record.version <= version) this.records.delete(rowId);
      }
    }
  }

  async search({ dense, sparse }: ChunkSearch) {
    this.searches += 1;
    if (dense) this.#check(dense.vector.length);
    const all = [...this.records.values()];
    const score = (how: (record: NewRecord) => number): Found[] =>
      all.map((record) => ({ ...record, score: how(record) }));
    const near = dense ? score(({ vector }) => getDotProduct(vector, dense.vector)) : [];
    const worded = sparse ? score((record) => this.#scoreWords(record, sparse.weights)) : [];
    return {
      dense: sort(near).slice(0, dense?.topK),
      sparse: sort(worded.filter((each) => each.score > 0)).slice(0, sparse?.topK),
    };
  }

  async list(wanted: { documentId: string; version: number; from: number; limit: number }) {
    return [...this.records.values()]
      .filter(
        ({ version, chunk }) =>
          chunk.documentId === wanted.documentId &&
          version === wanted.version &&
          chunk.position >= wanted.from,
      )
      .sort((a, b) => a.chunk.position - b.chunk.position)
      .slice(0, wanted.limit);
  }

  async find(nodeId: string): Promise<ChunkRecord[]> {
    return [...this.records.values()].filter(({ chunk }) => chunk.id === nodeId);
  }

  isFilterable(): boolean {
    return false;
  }

  async drop(): Promise<void> {
    this.records.clear();
    this.#dimension = undefined;
  }

  #check(dimension: number): void {
    if (this.#dimension === undefined || dimension === this.#dimension) return;
    const message = `The store has vectors of ${this.#dimension} dimensions, not ${dimension}.`;
    throw new SinkError(message, { retryable: false });
  }

  #scoreWords(
    { analysed: { terms, frequencies, length }, meanLength }: NewRecord,
    { finding, ranking }: NonNullable<ChunkSearch['sparse']>['weights'],
  ): number {
    if (!terms.some((term) => finding.has(term))) return 0;
    const all = [...this.records.values()];
    return terms.reduce((sum, term, at) => {
      const weight = (finding.get(term) ?? 0) + (ranking.get(term) ?? 0);
      const having = all.filter((record) => record.analysed.terms.includes(term)).length;
      const share = getFrequencyShare(frequencies[at]!, length, meanLength);
      return sum + weight * share * Math.log(1 + (all.length - having + 0.5) / (having + 0.5));
    }, 0);
  }
}

const getDotProduct = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, component, at) => sum + component * other[at]!, 0);

const sort = (found: Found[]): FoundRecord[] => found.sort((a, b) => b.score - a.score);
