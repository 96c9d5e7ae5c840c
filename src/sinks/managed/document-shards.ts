import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Shard, Staged } from '#src/ports/shard.ts';
import type { IndexDeps } from './index-deps.ts';
import type { Range } from './shard-directory.ts';

/** Share of a shard's capacity. Below it, a shard accepts new documents again. */
const REOPEN_SHARE = 0.5;

/**
 * Assigns documents to the shards of one index. If a document does not fit into its first shard, it continues
 * in the following ones.
 */
export class DocumentShards {
  readonly #deps: IndexDeps;
  readonly #ranges = new Map<string, Range>();
  /**
   * Shard that receives the next chunks of each document, by document id. Documents without an entry use
   * their first shard.
   */
  readonly #next = new Map<string, number>();

  constructor(deps: IndexDeps) {
    this.#deps = deps;
  }

  shard(number: number): Shard {
    const { objects, indexId } = this.#deps;
    return objects.searchShard(indexId, number);
  }

  /** Returns the shards that this instance already knows, without reading the directory again. */
  listKnown(): Shard[] {
    return Array.from({ length: this.#deps.directory.count }, (_, number) => this.shard(number));
  }

  /** Reads the shard directory and returns all shards, including those that other instances have added. */
  async listAll(): Promise<Shard[]> {
    await this.#deps.directory.refresh();
    return this.listKnown();
  }

  async assign(documentIds: string[]): Promise<void> {
    const unknown = documentIds.filter((documentId) => !this.#ranges.has(documentId));
    if (unknown.length === 0) return;
    const found = await this.#deps.directory.assign(unknown);
    for (const [at, documentId] of unknown.entries()) this.#ranges.set(documentId, found[at]!);
  }

  /**
   * Returns the range of shards that hold a document. Registers the document if the directory does not
   * contain it.
   */
  async getRange(documentId: string): Promise<Range> {
    await this.assign([documentId]);
    return this.#ranges.get(documentId)!;
  }

  /**
   * Returns the shards of a document. The first one decides which version is visible. Returns an empty list
   * if the document has no shards.
   */
  async getShards(documentId: string): Promise<Shard[]> {
    const range = this.#ranges.get(documentId) ?? (await this.#deps.directory.findRange(documentId));
    if (range === undefined) return [];
    return Array.from({ length: range.last - range.first + 1 }, (_, at) => this.shard(range.first + at));
  }

  /**
   * Stages chunks in the document's current shard. The result says whether the shard had room for the chunks.
   */
  async stageNext(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged> {
    const number = await this.#nextShard(document.documentId);
    const staged = await this.shard(number).stage(document, chunks, chunkCount);
    if (staged.full) await this.replaceOpenShard(number);
    return staged;
  }

  async continueInNextShard(document: IndexedDocument): Promise<void> {
    const { documentId } = document;
    const { first, last } = await this.getRange(documentId);
    const number = await this.#nextShard(documentId);
    // The document is registered in its first shard, which decides which version queries see, even if it
    // holds none of the chunks.
    if (number === first) await this.shard(first).stage(document, []);
    if (number === last) {
      await this.#deps.directory.extend(documentId, last + 1);
      this.#ranges.set(documentId, { first, last: last + 1 });
    }
    this.#next.set(documentId, number + 1);
  }

  /** Directs new documents to another shard, because this shard is full. Creates a shard if necessary. */
  async replaceOpenShard(full: number): Promise<void> {
    const { directory } = this.#deps;
    if (directory.open !== full) return;
    const stats = await Promise.all((await this.listAll()).map((each) => each.stats()));
    const free = stats.findIndex(
      ({ chunks, staged, capacity }, number) => number !== full && chunks + staged < REOPEN_SHARE * capacity,
    );
    await directory.replaceOpen(full, free === -1 ? stats.length : free);
  }

  async #nextShard(documentId: string): Promise<number> {
    return this.#next.get(documentId) ?? (await this.getRange(documentId)).first;
  }
}
