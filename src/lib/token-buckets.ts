/** Maximum number of names with a token bucket. The least recently used names are forgotten first. */
const MAX_NAMES = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** State of a token bucket. `limit` is the number of tokens per minute. */
export interface BucketState {
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full. */
  resetSeconds: number;
}

/**
 * Rate limiter with a token bucket for each name. A bucket holds up to `perMinute` tokens and is refilled
 * evenly.
 */
export class TokenBuckets {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** Token buckets by name, in the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  /** Creates token buckets that hold `perMinute` tokens each. If `perMinute` is 0, there is no limit. */
  constructor(perMinute: number, now = Date.now) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Takes a token and returns 0, or returns the seconds until a token is available. */
  take(name: string): number {
    if (this.#perMinute === 0) return 0;
    const bucket = this.#refill(name);
    const wait = ((1 - bucket.tokens) * 60) / this.#perMinute;
    if (wait > 0) return wait;
    this.#store(name, { ...bucket, tokens: bucket.tokens - 1 });
    return 0;
  }

  refund(name: string): void {
    if (this.#perMinute === 0) return;
    const bucket = this.#refill(name);
    this.#store(name, { ...bucket, tokens: Math.min(bucket.tokens + 1, this.#perMinute) });
  }

  /**
   * Returns the number of tokens that are left and the seconds until the bucket is full. Returns `undefined` if there is
   * no limit.
   */
  describe(name: string): BucketState | undefined {
    if (this.#perMinute === 0) return undefined;
    const { tokens } = this.#refill(name);
    const limit = this.#perMinute;
    return { limit, remaining: Math.floor(tokens), resetSeconds: ((limit - tokens) * 60) / limit };
  }

  isEmpty(name: string): boolean {
    return this.#perMinute > 0 && this.#refill(name).tokens < 1;
  }

  #refill(name: string): Bucket {
    const at = this.#now();
    const bucket = this.#buckets.get(name) ?? { tokens: this.#perMinute, at };
    const came = ((at - bucket.at) * this.#perMinute) / 60_000;
    return { tokens: Math.min(bucket.tokens + came, this.#perMinute), at };
  }

  #store(name: string, bucket: Bucket): void {
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > MAX_NAMES) this.#buckets.delete(this.#buckets.keys().next().value!);
  }
}
