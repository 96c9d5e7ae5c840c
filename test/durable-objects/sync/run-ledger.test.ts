import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { InFlight } from '#objects/sync/item-ledger.ts';
import { RunLedger } from '#objects/sync/run-ledger.ts';
import { buildScope, mergeScopes } from '#objects/sync/sync-scope.ts';
import type { Scope, WorkItem } from '#src/work/sync-owner.ts';

const NOW = 1_000_000;
const few = (messages: number) => ({ messages, items: 99 });
const fileItem = (n: number): WorkItem => ({ id: `file:${n}`, kind: 'file', fileId: String(n) });

/** Runs a function with the ledger of a new run, in the storage of an object that nothing else uses. */
function inLedger<T>(
  use: (ledger: RunLedger) => T,
  scope: Scope = { sources: [], fileIds: null },
): Promise<T> {
  const stub = env.JOB_STATE.get(env.JOB_STATE.newUniqueId());
  return runInDurableObject(stub, (_object, { storage }) => {
    const ledger = new RunLedger(storage);
    ledger.open({ pipelineId: 'p', jobId: 'j', reason: 'request', scope }, NOW);
    return use(ledger);
  });
}

describe('a run', () => {
  it.each([
    [[], true],
    [['a source'], false],
    ['all', false],
  ] as [Scope['sources'], boolean][])(
    'with the sources %j starts with sourcesRead: %j',
    (sources, sourcesRead) =>
      inLedger(
        (ledger) =>
          expect(ledger.current()).toEqual({
            generation: 1,
            pipelineId: 'p',
            jobId: 'j',
            reason: 'request',
            state: 'planning',
            scope: { sources, fileIds: ['f'] },
            sourcesRead,
            again: null,
            progressAt: NOW,
            pausedUntil: 0,
            startedAt: NOW,
            finishedAt: null,
            planSentAt: NOW,
            planAttempts: 1,
            planStarts: 0,
            cancelledAt: null,
            counters: {},
            verdict: null,
          }),
        { sources, fileIds: ['f'] },
      ),
  );

  it('does not read its waiting items, of which there may be millions, to go on', async () => {
    const stub = env.JOB_STATE.get(env.JOB_STATE.newUniqueId());
    await runInDurableObject(stub, (_object, { storage }) => {
      let rowsRead = 0;
      const exec = (statement: string, ...values: SqlStorageValue[]) => {
        const cursor = storage.sql.exec(statement, ...values);
        const rows = cursor.toArray();
        rowsRead += cursor.rowsRead;
        const read = { toArray: () => rows, one: () => rows[0], [Symbol.iterator]: () => rows.values() };
        return { ...read, rowsWritten: cursor.rowsWritten };
      };
      const watched = {
        sql: { exec },
        transactionSync: storage.transactionSync.bind(storage),
      } as unknown as DurableObjectStorage;
      const ledger = new RunLedger(watched);
      ledger.open(
        { pipelineId: 'p', jobId: 'j', reason: 'request', scope: { sources: [], fileIds: null } },
        NOW,
      );
      ledger.add(
        1,
        Array.from({ length: 3_000 }, (_, at) => ({ ...fileItem(at), bytes: 10 })),
      );
      ledger.requeue('file:7', NOW + 500);
      rowsRead = 0;
      const [message] = ledger.takeForSending({ messages: 1, items: 5 }, NOW, 'all');
      const { ids } = ledger.findByMessage(message!.name);
      ledger.claim(ids, 'a consumer', NOW);
      ledger.settle(ids, 'done');
      expect(ids).toHaveLength(5);
      expect(ledger.getNextSendTime(NOW)).toBe(NOW + 500);
      expect(ledger.hasOpenItems()).toBe(true);
      expect(rowsRead).toBeLessThan(200);
      ledger.countByState();
      expect(rowsRead).toBeGreaterThan(3_000);
    });
  });

  it('starts without items and counters of the previous run', () =>
    inLedger((ledger) => {
      ledger.add(1, [fileItem(1)]);
      ledger.addCounters({ parsed: 1 });
      const scope: Scope = { sources: 'all', fileIds: null };
      const next = ledger.open({ pipelineId: 'p', jobId: 'k', reason: 'change', scope }, NOW + 1);
      expect(next).toMatchObject({ generation: 2, jobId: 'k', counters: {}, startedAt: NOW + 1 });
      expect([ledger.countByState(), ledger.hasOpenItems()]).toEqual([{}, false]);
    }));

  it('stores its fields, and adds up the counters of its items', () =>
    inLedger((ledger) => {
      const again: Scope = { sources: ['s'], fileIds: null };
      ledger.setRun({ again, sourcesRead: false, pausedUntil: 7, verdict: { status: 'CANCELLED' } });
      ledger.addCounters({ parsed: 1, retries: 2 });
      ledger.addCounters({ parsed: 3 });
      expect(ledger.current()).toMatchObject({
        again,
        sourcesRead: false,
        pausedUntil: 7,
        verdict: { status: 'CANCELLED' },
        counters: { parsed: 4, retries: 2 },
      });
      ledger.setRun({ again: null });
      expect(ledger.current()!.again).toBeNull();
    }));
});

/** Returns the names of the messages that are sent next. */
const namesSent = (ledger: RunLedger, ...[limit, now]: [InFlight, number]) =>
  ledger.takeForSending(limit, now, 'all').map(({ name }) => name);

describe('the items of a run', () => {
  it('are added once, and sent in order up to the limit in flight', () =>
    inLedger((ledger) => {
      expect(ledger.add(1, [fileItem(1), fileItem(2), fileItem(1)])).toBe(2);
      expect(ledger.add(1, [fileItem(2), fileItem(3)])).toBe(1);
      expect(namesSent(ledger, few(2), NOW)).toEqual(['file:1', 'file:2']);
      expect(namesSent(ledger, few(2), NOW)).toEqual([]);
      ledger.claim(['file:1'], 'me', NOW);
      expect([ledger.countInFlight(), namesSent(ledger, few(2), NOW)]).toEqual([
        { messages: 2, items: 2 },
        [],
      ]);
      ledger.settle(['file:1'], 'done');
      expect(namesSent(ledger, few(2), NOW)).toEqual(['file:3']);
      expect(ledger.countByState()).toEqual({ done: 1, sent: 2 });
      expect(ledger.hasOpenItems()).toBe(true);
      for (const id of ['file:2', 'file:3']) ledger.settle([id], 'failed');
      expect([ledger.hasOpenItems(), ledger.countInFlight()]).toEqual([false, { messages: 0, items: 0 }]);
    }));

  it('are sent in one message if they are small, up to the item limit', () =>
    inLedger((ledger) => {
      const small = (n: number) => ({ ...fileItem(n), bytes: 10 });
      ledger.add(1, [small(1), small(2), fileItem(3), small(4), small(5), small(6)]);
      const sent = namesSent(ledger, { messages: 9, items: 4 }, NOW);
      expect(sent).toEqual([expect.stringMatching(/^together:/), 'file:3', 'file:4']);
      expect(ledger.findByMessage(sent[0]!).ids).toEqual(['file:1', 'file:2']);
      expect(ledger.countInFlight()).toEqual({ messages: 3, items: 4 });
      expect(namesSent(ledger, { messages: 9, items: 4 }, NOW)).toEqual([]);
      const { items } = ledger.claim(ledger.findByMessage(sent[0]!).ids, 'me', NOW);
      expect(items.map(({ item }) => item.id)).toEqual(['file:1', 'file:2']);
      expect(ledger.leases.expired(NOW)).toEqual([]);
      expect(ledger.leases.expired(NOW + 60_000)).toEqual([['file:1', 'file:2']]);
      ledger.settle(['file:1', 'file:2'], 'done');
      expect(ledger.findByMessage(sent[0]!)).toEqual({ ids: [], isHeld: false });
    }));

  it('are sent first if they are interactive, until an attempt fails', () =>
    inLedger((ledger) => {
      const sized = (n: number, bytes: number) => ({ ...fileItem(n), bytes });
      ledger.add(1, [sized(1, 10), sized(2, 2_000_000), fileItem(3)]);
      ledger.prioritizeQuick();
      ledger.addFirst(1, [sized(4, 10)]);
      const first = ledger.takeForSending(few(9), NOW, 'first');
      expect(first).toEqual([{ name: expect.stringMatching(/^together:/), isFirst: true }]);
      expect(ledger.findByMessage(first[0]!.name).ids).toEqual(['file:1', 'file:4']);
      expect(ledger.takeForSending(few(9), NOW, 'all')).toEqual([
        { name: 'file:2', isFirst: false },
        { name: 'file:3', isFirst: false },
      ]);
      ledger.claim(['file:1', 'file:4'], 'me', NOW);
      ledger.requeueInSmallerGroups(['file:1'], 0);
      ledger.requeue('file:4', 0);
      expect(ledger.takeForSending(few(9), NOW, 'first')).toEqual([]);
    }));

  it('are sent once they are due', () =>
    inLedger((ledger) => {
      ledger.add(1, [fileItem(1), fileItem(2)]);
      ledger.requeue('file:1', NOW + 10);
      ledger.requeue('file:2', NOW + 20);
      expect(ledger.getNextSendTime(NOW)).toBe(NOW + 10);
      expect(namesSent(ledger, few(9), NOW + 9)).toEqual([]);
      expect(namesSent(ledger, few(9), NOW + 10)).toEqual(['file:1']);
      expect([ledger.getNextSendTime(NOW + 10), ledger.getNextSendTime(NOW + 20)]).toEqual([NOW + 20, null]);
    }));

  it('wait for their parts, and report a failed part', () =>
    inLedger((ledger) => {
      const part: WorkItem = { id: 'pages:1', kind: 'pages', fileId: '1', range: { from: 0, to: 9 } };
      ledger.add(1, [fileItem(1)]);
      ledger.add(1, [part], 'file:1');
      expect(namesSent(ledger, few(9), NOW)).toEqual(['pages:1']);
      expect(ledger.get('file:1')).toMatchObject({
        item: fileItem(1),
        state: 'waiting',
        waitsForParts: true,
      });
      ledger.settle(['pages:1'], 'done');
      expect([ledger.get('file:1')?.waitsForParts, ledger.hasFailedParts('file:1')]).toEqual([false, false]);
      ledger.settle(['pages:1'], 'failed');
      expect([ledger.get('file:1')?.waitsForParts, ledger.hasFailedParts('file:1')]).toEqual([false, true]);
      expect(namesSent(ledger, few(9), NOW)).toEqual(['file:1']);
      expect(ledger.get('file:2')).toBeNull();
    }));

  it('are queued again if their message is lost or their attempt ends', () =>
    inLedger((ledger) => {
      ledger.add(1, [fileItem(1), fileItem(2)]);
      namesSent(ledger, few(9), NOW);
      expect(ledger.requeueSent(NOW - 1)).toBe(0);
      ledger.claim(['file:2'], 'me', NOW);
      expect(ledger.requeueSent(NOW)).toBeGreaterThan(0);
      expect(ledger.countByState()).toEqual({ waiting: 1, claimed: 1 });
      ledger.requeue('file:2', 0);
      expect(ledger.get('file:2')).toMatchObject({ state: 'waiting', attempts: 1, starts: 0, lost: 0 });
      ledger.claim(['file:2'], 'me', NOW);
      ledger.requeueLost('file:2', 0);
      expect(ledger.get('file:2')).toMatchObject({ state: 'waiting', attempts: 2, starts: 1, lost: 1 });
      ledger.uncountAttempt('file:2');
      expect(ledger.get('file:2')?.attempts).toBe(1);
      for (const _ of [1, 2]) ledger.uncountAttempt('file:2');
      expect(ledger.get('file:2')?.attempts).toBe(0);
    }));

  it('are stuck only if they themselves made no progress for long', () =>
    inLedger((ledger) => {
      ledger.add(1, [fileItem(1), fileItem(2), fileItem(3)]);
      for (const id of ['file:1', 'file:2']) ledger.claim([id], 'me', NOW);
      ledger.recordProgress(['file:2'], NOW + 5);
      expect(ledger.current()!.progressAt).toBe(NOW + 5);
      expect(ledger.listStuckClaims(NOW - 1)).toEqual([]);
      expect(ledger.listStuckClaims(NOW + 4)).toEqual(['file:1']);
      expect(ledger.listStuckClaims(NOW + 5)).toEqual(['file:1', 'file:2']);
    }));

  it('are dropped unless a consumer has claimed them', () =>
    inLedger((ledger) => {
      ledger.add(1, [fileItem(1), fileItem(2), fileItem(3)]);
      namesSent(ledger, few(2), NOW);
      ledger.claim(['file:1'], 'me', NOW);
      ledger.dropWaiting();
      expect(ledger.countByState()).toEqual({ claimed: 1 });
    }));
});

describe('the scope of a run', () => {
  const one: Scope = { sources: ['a'], fileIds: ['1'] };

  it('covers all sources, none after a change in the pipeline, or the named ones', () => {
    expect(buildScope({ reason: 'request' })).toEqual({ sources: 'all', fileIds: null });
    expect(buildScope({ reason: 'change' })).toEqual({ sources: [], fileIds: null });
    expect(buildScope({ reason: 'change', ...one } as never)).toEqual(one);
  });

  it('covers both scopes after a merge', () => {
    expect(mergeScopes(null, one)).toEqual(one);
    expect(mergeScopes(one, { sources: ['b', 'a'], fileIds: ['2', '1'] })).toEqual({
      sources: ['a', 'b'],
      fileIds: ['1', '2'],
    });
    expect(mergeScopes(one, { sources: 'all', fileIds: null })).toEqual({ sources: 'all', fileIds: null });
    expect(mergeScopes({ sources: 'all', fileIds: null }, one)).toEqual({ sources: 'all', fileIds: null });
  });
});
