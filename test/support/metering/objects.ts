import { type Billed, count } from './counts.ts';
import { heard, replaced } from './hear.ts';

/** Durable Objects with running calls, and their start time. Concurrent calls are billed once. */
const busy = new Map<string, { calls: number; since: number }>();

function begin(id: string): void {
  const now = busy.get(id) ?? { calls: 0, since: Date.now() };
  now.calls += 1;
  busy.set(id, now);
}

function end(id: string): void {
  const now = busy.get(id)!;
  now.calls -= 1;
  if (now.calls > 0) return;
  busy.delete(id);
  count('object seconds', (Date.now() - now.since) / 1000);
}

/**
 * Counts each method call as one request and measures its duration at the caller, until the answer or its
 * stream ends.
 */
export function meteredObjects<Namespace extends DurableObjectNamespace>(
  namespace: Namespace,
  billed: Billed = 'object requests',
): Namespace {
  return new Proxy(namespace, {
    get(target, name) {
      if (name === 'get') return (id: DurableObjectId) => stub(target.get(id), String(id), billed);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(target) : member;
    },
  });
}

function stub<Of extends object>(of: Of, id: string, billed: Billed): Of {
  return heard(of, async (_, __, given) => {
    count(billed);
    begin(id);
    let isStreamed = false;
    try {
      const answer = await given;
      if (!(answer instanceof ReadableStream)) return answer;
      isStreamed = true;
      return answer.pipeThrough(toTheEnd(() => end(id)));
    } finally {
      if (!isStreamed) end(id);
    }
  });
}

function toTheEnd(over: () => void): TransformStream {
  const transformer: Transformer = { flush: over, cancel: over };
  return new TransformStream(transformer);
}

/** Billed rows of key-value storage calls. */
const KEYED: Record<string, 'object rows read' | 'object rows written'> = {
  get: 'object rows read',
  put: 'object rows written',
  delete: 'object rows written',
  setAlarm: 'object rows written',
};

/** Counts storage operations and alarms of a Durable Object. */
export function meterObject(state: DurableObjectState, written: Billed = 'object rows written'): void {
  const { storage } = state;
  for (const [name, billed] of Object.entries(KEYED)) {
    replaced(storage, name, (method) => (...args) => {
      count(billed, Array.isArray(args[0]) ? args[0].length : 1);
      return method(...args);
    });
  }
  let open: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const settle = () => {
    for (const { rowsRead, rowsWritten } of open) {
      count('object rows read', rowsRead);
      count(written, rowsWritten);
    }
    open = [];
  };
  replaced(storage.sql, 'exec', (exec) => (...args) => {
    const cursor = exec(...args) as (typeof open)[number];
    // A cursor is read to its end in the same synchronous code that opened it.
    if (open.length === 0) queueMicrotask(settle);
    open.push(cursor);
    return cursor;
  });
}

/** Measures an alarm. Because an alarm has no caller, the end is read from the clock later. */
export async function meteredAlarm(state: DurableObjectState, alarm: () => Promise<void>): Promise<void> {
  count('object requests');
  begin(String(state.id));
  try {
    await alarm();
    await scheduler.wait(0);
  } finally {
    end(String(state.id));
  }
}
