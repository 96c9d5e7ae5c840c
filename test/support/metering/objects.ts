import { type Billed, count } from './counts.ts';
import { heard, replaced } from './hear.ts';

/** Objects at work: how many calls each has, and since when. Calls side by side are billed once. */
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
 * Each call of a method of an object is one request. Its time is taken by the caller, whose clock goes on when the
 * answer arrives, and until the end of a stream that is answered.
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

/** Rows that the platform bills for a call of the storage besides those of SQL. */
const KEYED: Record<string, 'object rows read' | 'object rows written'> = {
  get: 'object rows read',
  put: 'object rows written',
  delete: 'object rows written',
  setAlarm: 'object rows written',
};

/** Counts what the object does in its own storage, and its alarms. */
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
    // A cursor knows when it was read to its end, which is in the stretch of code that opened it.
    if (open.length === 0) queueMicrotask(settle);
    open.push(cursor);
    return cursor;
  });
}

/** An alarm has no caller: its end is told by the clock once that has gone on. */
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
