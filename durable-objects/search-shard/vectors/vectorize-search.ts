import { getErrorMessage } from '#src/lib/errors.ts';
import { hasVectorize } from '#src/lib/has-vectorize.ts';
import { createLogger } from '#src/lib/log.ts';
import type { ShardQuery } from '#src/ports/shard.ts';
import { combineBits, countBits, hasBit, listBits, setBit } from '#src/search/bitset.ts';
import { MASK_BYTES } from '#src/search/memory.ts';
import { cosine } from '#src/search/vectors.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { readVectors } from '../chunks/chunk-rows.ts';
import type { Resident } from '../postings/resident.ts';
import { pickBest, type Ranked } from '../ranking.ts';
import { readDimension } from './dimension.ts';
import { Mirror } from './mirror.ts';
import { getOrCreateMirrorName, normalize } from './mirror-rows.ts';
import { type Point, parsePointId, queryResultSchema, VECTORIZE_LIMITS } from './vectorize.ts';

/**
 * Timeout of a Vectorize query in seconds. Scanning the shard's own codes takes about a hundredth of this
 * time, so waiting longer is never worthwhile.
 */
const QUERY_SECONDS = 2;
const FAILURE_PAUSE_MS = 30_000;
/**
 * Number of results to request from Vectorize per wanted result. Vectorize ranks by approximate scores, so
 * the shard computes exact scores for more results than it needs.
 */
const OVERSAMPLING = 2;
/** Maximum number of chunks that may be missing in Vectorize and are compared one by one. */
const MAX_RECENT = 1_024;

/**
 * Result of a Vectorize query: the points found, and the keys of the document versions that were completely
 * visible at that time.
 */
export interface VectorizeResult {
  points: Point[];
  covered: ReadonlySet<number>;
}

/**
 * Dense search of a shard whose vectors are copied to Vectorize. In case of doubt the shard answers from its
 * own vectors.
 */
export class VectorizeSearch {
  readonly mirror: Mirror;
  readonly #sql: SqlStorage;
  readonly #log = createLogger({ part: 'vectorize' });
  #pausedUntil = 0;
  readonly #coveredBits = new WeakMap<
    Resident,
    { covered: ReadonlySet<number>; revision: number; bits: Uint8Array }
  >();

  /**
   * Returns `undefined` if the Worker has no Vectorize binding. The shard then answers from its own vectors.
   */
  static createIfBound(storage: DurableObjectStorage, env: object): VectorizeSearch | undefined {
    return hasVectorize(env) ? new VectorizeSearch(storage, env) : undefined;
  }

  private constructor(storage: DurableObjectStorage, env: object) {
    this.#sql = storage.sql;
    this.mirror = new Mirror(storage, env);
  }

  /**
   * Queries Vectorize. This must be called before the rest of the query, which must not await. Returns
   * `undefined` if the shard has to search its own vectors. That is the case for filtered queries, for too
   * many results, while many chunks are not copied yet, and after failures. It is also the case if the vector
   * codes are in memory, because scanning them is faster and finds everything.
   */
  async queryVectorize(query: ShardQuery, resident: Resident): Promise<VectorizeResult | undefined> {
    const { vector, filters, candidates, denseTopK } = query;
    if (!vector || filters || candidates || resident.loadedCodes) return undefined;
    if (denseTopK === 0 || denseTopK * OVERSAMPLING > VECTORIZE_LIMITS.maxTopK) return undefined;
    const { binding } = this.mirror;
    const direction = normalize(vector);
    if (!binding || !direction || vector.length !== readDimension(this.#sql)) return undefined;
    if (Date.now() < this.#pausedUntil) return undefined;
    const covered = this.mirror.covered();
    const { copied, recent } = this.#splitByCoverage(
      resident,
      resident.getAllowedChunks(resident.getView(query.split), query),
      covered,
    );
    if (countBits(copied) < this.mirror.minChunks || recent.length > MAX_RECENT) return undefined;
    const name = getOrCreateMirrorName(this.#sql);
    try {
      const request = binding.query(direction, { topK: VECTORIZE_LIMITS.maxTopK, namespace: name });
      const [answer, isIntact] = await Promise.all([
        withTimeout(request, QUERY_SECONDS),
        this.mirror.isIntact(binding, QUERY_SECONDS),
      ]);
      if (!isIntact) return undefined;
      const { matches } = queryResultSchema.parse(answer);
      const points = matches.map(({ id }) => parsePointId(name, id)).filter((point) => point !== undefined);
      return { points, covered };
    } catch (error) {
      this.#pausedUntil = Date.now() + FAILURE_PAUSE_MS;
      this.#log.warn('Vectorize query failed, so the shard searches its own vectors', {
        error: getErrorMessage(error),
      });
      return undefined;
    }
  }

  /**
   * Returns the k nearest chunks by exact similarity. Candidates are the chunks that Vectorize found and
   * chunks that may not be visible there yet. Returns `undefined` if too many chunks are not copied, or if
   * Vectorize found fewer points than expected. The latter happens when deleted points take up results or the
   * copy is incomplete.
   */
  rank(
    result: VectorizeResult,
    resident: Resident,
    vector: Float32Array,
    allowed: Uint8Array,
    k: number,
  ): Ranked | undefined {
    const { copied, recent } = this.#splitByCoverage(resident, allowed, result.covered);
    if (recent.length > MAX_RECENT) return undefined;
    const found = this.#findLocals(result.points).filter((local) => hasBit(copied, local));
    if (found.length < Math.min(OVERSAMPLING * k, countBits(copied))) return undefined;
    const scored = [...readVectors(this.#sql, [...found, ...recent])].map(([local, stored]) => ({
      local,
      score: cosine(vector, stored),
    }));
    return pickBest(this.#sql, scored, k);
  }

  /**
   * Splits the allowed chunks into those that are visible in Vectorize (one bit per local id) and a list of
   * the others. The list ends after `MAX_RECENT` + 1 chunks.
   */
  #splitByCoverage(resident: Resident, allowed: Uint8Array, covered: ReadonlySet<number>) {
    const bits = this.#getCoveredBits(resident, covered);
    return {
      copied: combineBits(allowed, bits, 'and'),
      recent: listBits(combineBits(allowed, bits, 'less'), MAX_RECENT + 1),
    };
  }

  /**
   * Returns the chunks of the covered versions as bits. The result is cached until the shard changes, because
   * a local id may be given to another chunk.
   */
  #getCoveredBits(resident: Resident, covered: ReadonlySet<number>): Uint8Array {
    const { revision, chunks } = resident;
    const known = this.#coveredBits.get(resident);
    if (known?.covered === covered && known.revision === revision) return known.bits;
    const bits = new Uint8Array(MASK_BYTES);
    for (let local = 0; local < chunks.end; local++) {
      if (covered.has(chunks.versionByLocal[local]!)) setBit(bits, local);
    }
    this.#coveredBits.set(resident, { covered, revision, bits });
    return bits;
  }

  #findLocals(points: Point[]): number[] {
    const rows = this.#sql.exec<{ local: number }>(
      `SELECT DISTINCT c.local FROM json_each(?) w
       JOIN chunk c ON c.version_key = w.value ->> 0 AND c.position = w.value ->> 1`,
      JSON.stringify(points.map(({ versionKey, position }) => [versionKey, position])),
    );
    return [...rows].map(({ local }) => local);
  }
}
