import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Shard, Staged } from '#src/ports/shard.ts';
import type { IndexDeps } from './index-deps.ts';
import type { Range } from './shard-directory.ts';

/** Shards with less than this share of their capacity in use take new documents again. */
const ROOMY = 0.5;

/**
 * The shards of one index, and which of them hold the chunks of a document. A document that does not fit into the shard
 * it is assigned to goes on in the following ones.
 */
export class DocumentShards {
  readonly #deps: IndexDeps;
  /** Ranges of the documents that were assigned through this instance. */
  readonly #ranges = new Map<string, Range>();
  /** The shard that takes the next chunks of a document that this instance stages, if it is not the first one. */
  readonly #next = new Map<string, number>();

  constructor(deps: IndexDeps) {
    this.#deps = deps;
  }

  shard(number: number): Shard {
    const { objects, indexId } = this.#deps;
    return objects.searchShard(indexId, number);
  }

  /** Returns the shards that this instance knows of. */
  known(): Shard[] {
    return Array.from({ length: this.#deps.directory.count }, (_, number) => this.shard(number));
  }

  /** Resolves to all shards, those that were added elsewhere meanwhile included. */
  async all(): Promise<Shard[]> {
    await this.#deps.directory.refresh();
    return this.known();
  }

  /** Enters documents in the directory, with the shards that take their chunks. */
  async assign(documentIds: string[]): Promise<void> {
    const unknown = documentIds.filter((documentId) => !this.#ranges.has(documentId));
    if (unknown.length === 0) return;
    const found = await this.#deps.directory.assign(unknown);
    for (const [at, documentId] of unknown.entries()) this.#ranges.set(documentId, found[at]!);
  }

  /** Resolves to the shards of a document, which is entered in the directory if it is not there. */
  async assigned(documentId: string): Promise<Range> {
    await this.assign([documentId]);
    return this.#ranges.get(documentId)!;
  }

  /** Resolves to the shards of a document, the deciding one first, or to none if no shard holds it. */
  async shardsOf(documentId: string): Promise<Shard[]> {
    const range = this.#ranges.get(documentId) ?? (await this.#deps.directory.rangeOf(documentId));
    if (range === undefined) return [];
    return Array.from({ length: range.last - range.first + 1 }, (_, at) => this.shard(range.first + at));
  }

  /** Stages chunks in the shard that takes the document's next ones. They may not fit: see the answer. */
  async place(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged> {
    const number = await this.#nextShard(document.documentId);
    const staged = await this.shard(number).stage(document, chunks, chunkCount);
    if (staged.full) await this.openAnother(number);
    return staged;
  }

  /** Lets the next chunks of a document go to the following shard, because the present one is full. */
  async moveOn(document: IndexedDocument): Promise<void> {
    const { documentId } = document;
    const { first, last } = await this.assigned(documentId);
    const number = await this.#nextShard(documentId);
    // The first shard decides which version queries see, even if it holds none of the chunks.
    if (number === first) await this.shard(first).stage(document, []);
    if (number === last) {
      await this.#deps.directory.extend(documentId, last + 1);
      this.#ranges.set(documentId, { first, last: last + 1 });
    }
    this.#next.set(documentId, number + 1);
  }

  /** Lets another shard, or a new one, take new documents, because this one is full. */
  async openAnother(full: number): Promise<void> {
    const { directory } = this.#deps;
    if (directory.open !== full) return;
    const stats = await Promise.all((await this.all()).map((each) => each.stats()));
    const roomy = stats.findIndex(
      ({ chunks, staged, capacity }, number) => number !== full && chunks + staged < ROOMY * capacity,
    );
    await directory.replaceOpen(full, roomy === -1 ? stats.length : roomy);
  }

  async #nextShard(documentId: string): Promise<number> {
    return this.#next.get(documentId) ?? (await this.assigned(documentId)).first;
  }
}
