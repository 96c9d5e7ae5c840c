import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach } from 'vitest';
import type { SearchShard } from '#objects/search-shard.ts';
import { VectorizeInMemory } from '#test/support/vectorize.ts';

/** Binds a Vectorize index of 8 dimensions for each test of the file. `lag` is passed to the index. */
export function useVectorize(lag?: number): { readonly current: VectorizeInMemory } {
  const used = { current: new VectorizeInMemory(8, lag) };
  beforeEach(() => {
    used.current = new VectorizeInMemory(8, lag);
    bind(used.current);
  });
  afterEach(() => bind(undefined));
  return used;
}

export function bind(vectorize: VectorizeInMemory | undefined): void {
  Object.assign(env, { VECTORIZE_8: vectorize });
}

/** Runs the shard's alarm while one is set, at most `times` times. */
export async function ring(shard: DurableObjectStub<SearchShard>, times = 3): Promise<void> {
  for (let i = 0; i < times; i++) if (!(await runDurableObjectAlarm(shard))) return;
}
