/**
 * Keeps the results of reads until the database changes. A deployment has many isolates, which do not learn of each
 * other's writes, so this is only used if this isolate is the only one that writes to the database.
 */

/** Maximum number of results that are kept. */
const MAX_KEPT = 256;
/** Maximum size of a kept result as JSON, in characters. */
const MAX_CHARACTERS = 65_536;
/** Maximum time in milliseconds for which a result is kept. */
const MAX_AGE_MS = 5_000;
/**
 * Time in milliseconds after which a write is no longer expected to reach the database. The end of a write is unknown if
 * the runtime has cancelled its request.
 */
const MAX_WRITE_MS = 30_000;

interface Kept {
  value: unknown;
  /** Value of `generation` when the read began. */
  generation: number;
  at: number;
}

/** Number of times that a write began or ended. */
let generation = 0;
/** Times at which the unfinished writes began. */
const unfinished = new Map<symbol, number>();

/** Records that a write begins. Call the returned function when it has ended. */
export function beginWrite(): () => void {
  const write = Symbol('write');
  generation += 1;
  unfinished.set(write, Date.now());
  return () => {
    generation += 1;
    unfinished.delete(write);
  };
}

function hasUnfinishedWrites(): boolean {
  const oldest = Date.now() - MAX_WRITE_MS;
  for (const [write, since] of unfinished) if (since < oldest) unfinished.delete(write);
  return unfinished.size > 0;
}

const keptByDatabase = new WeakMap<object, Map<string, Kept>>();

/** Declares that no other isolate and no other process writes to this database. */
export function keepReads(database: object): void {
  if (!keptByDatabase.has(database)) keptByDatabase.set(database, new Map());
}

/**
 * Returns the result of a read. It may be the result of an earlier read with the same `key`, if no write began or ended
 * since that read began. So a change is visible to every read that starts after it. Callers must not change the result.
 * Results of `undefined` are not kept.
 */
export async function readUntilWrite<Value>(
  database: object,
  key: string,
  read: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  const kept = keptByDatabase.get(database);
  if (!kept) return read();
  const found = kept.get(key);
  const now = Date.now();
  if (found && found.generation === generation && now - found.at < MAX_AGE_MS) return found.value as Value;
  const before = generation;
  const isQuiet = !hasUnfinishedWrites();
  const value = await read();
  kept.delete(key);
  if (value === undefined || !isQuiet || generation !== before) return value;
  if (JSON.stringify(value).length > MAX_CHARACTERS) return value;
  kept.set(key, { value, generation: before, at: now });
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  return value;
}
