import { messageOf } from '#src/lib/errors.ts';
import { hasVectorize } from '#src/lib/has-vectorize.ts';
import { createLogger } from '#src/lib/log.ts';
import type { ShardQuery } from '#src/ports/shard.ts';
import { combineBits, countBits, hasBit, listBits, setBit } from '#src/search/bitset.ts';
import { MASK_BYTES } from '#src/search/memory.ts';
import { cosine } from '#src/search/vectors.ts';
import { withTimeout } from '#src/upstream/timeout.ts';
import { readVectors } from '../chunks/chunk-rows.ts';
import type { Resident } from '../postings/resident.ts';
import { best, type Ranked } from '../ranking.ts';
import { dimensionOf } from './dimension.ts';
import { Mirror } from './mirror.ts';
import { mirrorName, unit } from './mirror-rows.ts';
import { matchesAnswer, type Point, pointOf, VECTORIZE_LIMITS } from './vectorize.ts';

/** The scan takes a hundredth of this: who waits longer is better served by it. */
const QUERY_SECONDS = 2;
const PAUSE_MS = 30_000;
/** Vectorize orders by rough scores: so many times the wanted results are scored exactly here. */
const OVERSAMPLING = 2;
/** So many chunks that Vectorize may not show yet are compared one by one. */
const MOST_RECENT = 1_024;

/** What Vectorize found, and the versions that were sure to be found then. */
export interface Near {
  points: Point[];
  covered: ReadonlySet<number>;
}

/** The dense arm of a shard whose vectors are in Vectorize too. Whatever is in doubt, the shard answers alone. */
export class NearSearch {
  readonly mirror: Mirror;
  readonly #sql: SqlStorage;
  readonly #log = createLogger({ part: 'vectorize' });
  #pausedUntil = 0;
  readonly #bits = new WeakMap<Resident, { of: ReadonlySet<number>; revision: number; bits: Uint8Array }>();

  /** Undefined where no index of Vectorize is bound: such a shard has nothing of all this. */
  static where(storage: DurableObjectStorage, env: object): NearSearch | undefined {
    return hasVectorize(env) ? new NearSearch(storage, env) : undefined;
  }

  private constructor(storage: DurableObjectStorage, env: object) {
    this.#sql = storage.sql;
    this.mirror = new Mirror(storage, env);
  }

  /**
   * Asks Vectorize, before the query looks at anything here. Undefined where the shard answers alone: with a filter, for
   * more results than Vectorize gives, while much is not there yet, and when the codes are in memory anyway, since
   * going through them is faster and misses nothing.
   */
  async ask(query: ShardQuery, resident: Resident): Promise<Near | undefined> {
    const { vector, filters, candidates, denseTopK } = query;
    if (!vector || filters || candidates || resident.loadedCodes) return undefined;
    if (denseTopK === 0 || denseTopK * OVERSAMPLING > VECTORIZE_LIMITS.found) return undefined;
    const { binding } = this.mirror;
    const direction = unit(vector);
    if (!binding || !direction || vector.length !== dimensionOf(this.#sql)) return undefined;
    if (Date.now() < this.#pausedUntil) return undefined;
    const covered = this.mirror.covered();
    const { there, recent } = this.#split(
      resident,
      resident.allowed(resident.view(query.split), query),
      covered,
    );
    if (countBits(there) < this.mirror.fromChunks || recent.length > MOST_RECENT) return undefined;
    const name = mirrorName(this.#sql);
    try {
      const asked = binding.query(direction, { topK: VECTORIZE_LIMITS.found, namespace: name });
      const [answer, isThere] = await Promise.all([
        withTimeout(asked, QUERY_SECONDS),
        this.mirror.isThere(binding, QUERY_SECONDS),
      ]);
      if (!isThere) return undefined;
      const { matches } = matchesAnswer.parse(answer);
      const points = matches.map(({ id }) => pointOf(name, id)).filter((point) => point !== undefined);
      return { points, covered };
    } catch (error) {
      this.#pausedUntil = Date.now() + PAUSE_MS;
      this.#log.warn('Vectorize did not answer', { error: messageOf(error) });
      return undefined;
    }
  }

  /**
   * The k nearest of what Vectorize found and of what it may not have shown, by exact similarity. Undefined when it
   * found fewer than it should have: what was deleted stood in the way, or not all of the copy is there.
   */
  rank(
    near: Near,
    resident: Resident,
    vector: Float32Array,
    allowed: Uint8Array,
    k: number,
  ): Ranked | undefined {
    const { there, recent } = this.#split(resident, allowed, near.covered);
    if (recent.length > MOST_RECENT) return undefined;
    const found = this.#localsOf(near.points).filter((local) => hasBit(there, local));
    if (found.length < Math.min(OVERSAMPLING * k, countBits(there))) return undefined;
    const scored = [...readVectors(this.#sql, [...found, ...recent])].map(([local, stored]) => ({
      local,
      score: cosine(vector, stored),
    }));
    return best(this.#sql, scored, k);
  }

  /** The allowed chunks that Vectorize was sure to find (bits), and the others, as far as they can be gone through. */
  #split(resident: Resident, allowed: Uint8Array, covered: ReadonlySet<number>) {
    const bits = this.#bitsOf(resident, covered);
    return {
      there: combineBits(allowed, bits, 'and'),
      recent: listBits(combineBits(allowed, bits, 'less'), MOST_RECENT + 1),
    };
  }

  /** By the versions that the chunks have now: a local id may have been given to another chunk. */
  #bitsOf(resident: Resident, covered: ReadonlySet<number>): Uint8Array {
    const { revision, chunks } = resident;
    const known = this.#bits.get(resident);
    if (known?.of === covered && known.revision === revision) return known.bits;
    const bits = new Uint8Array(MASK_BYTES);
    for (let local = 0; local < chunks.end; local++) {
      if (covered.has(chunks.versionOf[local]!)) setBit(bits, local);
    }
    this.#bits.set(resident, { of: covered, revision, bits });
    return bits;
  }

  #localsOf(points: Point[]): number[] {
    const rows = this.#sql.exec<{ local: number }>(
      `SELECT DISTINCT c.local FROM json_each(?) w
       JOIN chunk c ON c.version_key = w.value ->> 0 AND c.position = w.value ->> 1`,
      JSON.stringify(points.map(({ versionKey, position }) => [versionKey, position])),
    );
    return [...rows].map(({ local }) => local);
  }
}
