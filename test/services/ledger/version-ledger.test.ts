import { expect, it } from 'vitest';
import type { CompleteVersion } from '#src/sinks/native/ledger/version-ledger.ts';
import { openTestLedger } from '#test/support/version-ledger.ts';

const createLedger = () => openTestLedger(crypto.randomUUID());

const complete = (
  documentId: string,
  version: number,
  rest: Partial<CompleteVersion> = {},
): CompleteVersion => ({
  documentId,
  version,
  chunks: 2,
  bytes: 10,
  languages: new Map([['en', { chunks: 2, words: 6 }]]),
  hasEarlier: false,
  ...rest,
});

it('creates entries once and returns those that existed before', async () => {
  const ledger = createLedger();
  expect(await ledger.open(['a', 'b', 'a'])).toEqual(new Map());
  const known = { version: null, removed: -1, chunks: 0 };
  expect(await ledger.open(['b', 'c'])).toEqual(new Map([['b', known]]));
  expect((await ledger.find(['a', 'b', 'c', 'd'])).size).toBe(3);
});

it('publishes only versions that are neither removed nor older than the visible one', async () => {
  const ledger = createLedger();
  await ledger.open(['a', 'b', 'c']);
  await ledger.publish([complete('a', 5)]);
  await ledger.remove([{ documentId: 'b', version: 7 }]);
  const published = await ledger.publish([
    complete('a', 4),
    complete('b', 7),
    complete('c', 1),
    complete('new', 1),
  ]);
  // A document without an entry was never opened.
  expect(published).toEqual(new Set(['c']));
  expect(await ledger.publish([complete('a', 5), complete('b', 8)])).toEqual(new Set(['a', 'b']));
  expect((await ledger.find(['b'])).get('b')).toEqual({ version: 8, removed: 7, chunks: 2 });
});

it('hides a removed version, keeps a later one, and never lowers a tombstone', async () => {
  const ledger = createLedger();
  await ledger.open(['a', 'b']);
  await ledger.publish([complete('a', 5), complete('b', 5)]);
  await ledger.remove([
    { documentId: 'a', version: 5 },
    { documentId: 'a', version: 3 },
    { documentId: 'b', version: 4 },
  ]);
  await ledger.remove([{ documentId: 'a', version: 2 }]);
  expect(await ledger.find(['a', 'b'])).toEqual(
    new Map([
      ['a', { version: null, removed: 5, chunks: 0 }],
      ['b', { version: 5, removed: 4, chunks: 2 }],
    ]),
  );
  expect(await ledger.stats()).toEqual({ documents: 1, chunks: 2, bytes: 10 });
});

it('remembers what the store must delete until a deletion that reaches as far is recorded', async () => {
  const ledger = createLedger();
  await ledger.open(['a', 'b']);
  await ledger.publish([complete('a', 5), complete('b', 5)]);
  expect(await ledger.listLeftovers(10)).toEqual([]);
  await ledger.publish([complete('a', 9, { hasEarlier: true })]);
  await ledger.recordLeftovers([
    { documentId: 'b', version: 3 },
    { documentId: 'b', version: 2 },
  ]);
  expect(await ledger.listLeftovers(10)).toEqual([
    { documentId: 'a', version: 8 },
    { documentId: 'b', version: 3 },
  ]);
  await ledger.settle([
    { documentId: 'a', version: 7 },
    { documentId: 'b', version: 3 },
  ]);
  expect(await ledger.listLeftovers(10)).toEqual([{ documentId: 'a', version: 8 }]);
  expect(await ledger.listLeftovers(0)).toEqual([]);
});

it('adds up languages, and forgets everything of one index only', async () => {
  const [ledger, other] = [createLedger(), createLedger()];
  for (const each of [ledger, other]) {
    await each.open(['a']);
    await each.publish([complete('a', 1)]);
  }
  const german = new Map([['de', { chunks: 1, words: 4 }]]);
  await ledger.publish([complete('a', 2, { languages: german })]);
  await ledger.publish([complete('a', 3, { languages: german })]);
  expect(await ledger.languages()).toEqual(
    new Map([
      ['de', { chunks: 2, words: 8 }],
      ['en', { chunks: 2, words: 6 }],
    ]),
  );
  await ledger.drop();
  await ledger.drop();
  expect([await ledger.languages(), await ledger.find(['a'])]).toEqual([new Map(), new Map()]);
  expect(await other.stats()).toMatchObject({ documents: 1 });
});

it('handles more documents than one statement takes', async () => {
  const ledger = createLedger();
  const ids = Array.from({ length: 1_201 }, (_, at) => `document ${at}`);
  await ledger.open(ids);
  expect((await ledger.publish(ids.map((id) => complete(id, 1)))).size).toBe(1_201);
  await ledger.remove(ids.slice(1).map((documentId) => ({ documentId, version: 1 })));
  expect(await ledger.stats()).toMatchObject({ documents: 1 });
  expect((await ledger.listLeftovers(2_000)).length).toBe(1_200);
});
