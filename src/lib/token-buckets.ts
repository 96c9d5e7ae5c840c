/** Names beyond this many are forgotten, those first that have been quiet for longest. */
const MOST_NAMES = 10_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** So many a minute for each name, all of them at once if wanted: what is taken comes back evenly. */
export class TokenBuckets {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>();

  /** `perMinute` 0: no limit. */
  constructor(perMinute: number, now = Date.now) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Seconds until one can be taken; 0: it has been taken. */
  take(name: string): number {
    if (this.#perMinute === 0) return 0;
    const bucket = this.#filled(name);
    const wait = ((1 - bucket.tokens) * 60) / this.#perMinute;
    if (wait > 0) return wait;
    this.#keep(name, { ...bucket, tokens: bucket.tokens - 1 });
    return 0;
  }

  giveBack(name: string): void {
    if (this.#perMinute === 0) return;
    const bucket = this.#filled(name);
    this.#keep(name, { ...bucket, tokens: Math.min(bucket.tokens + 1, this.#perMinute) });
  }

  isEmpty(name: string): boolean {
    return this.#perMinute > 0 && this.#filled(name).tokens < 1;
  }

  #filled(name: string): Bucket {
    const at = this.#now();
    const bucket = this.#buckets.get(name) ?? { tokens: this.#perMinute, at };
    const came = ((at - bucket.at) * this.#perMinute) / 60_000;
    return { tokens: Math.min(bucket.tokens + came, this.#perMinute), at };
  }

  #keep(name: string, bucket: Bucket): void {
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > MOST_NAMES) this.#buckets.delete(this.#buckets.keys().next().value!);
  }
}
