import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { INTAKE_UPGRADES, JobIntake } from '#objects/job-intake.ts';
import { JOB_UPGRADES } from '#objects/jobs/job-state.schema.ts';
import { METRICS_UPGRADES } from '#objects/metrics-keeper.ts';
import { SHARD_UPGRADES } from '#objects/search-shard.schema.ts';
import { type Upgrade, upgradeStorage } from '#objects/storage-upgrades.ts';
import { SYNC_UPGRADES } from '#objects/sync/pipeline-sync.schema.ts';
import { findBreakingStatements } from '#scripts/deploy/breaking-statements.ts';
import { isBefore } from '#scripts/deploy/is-before.ts';
import { createObjects } from '#src/work/objects.ts';
import release from '../../release.json';

/** Runs a function with the storage of an object that nothing else uses. */
function inStorage<T>(use: (storage: DurableObjectStorage) => T): Promise<T> {
  const stub = env.JOB_STATE.get(env.JOB_STATE.newUniqueId());
  return runInDurableObject(stub, (_object, { storage }) => use(storage));
}

const FIRST: Upgrade = { changes: ['create table note (text text)', "insert into note values ('first')"] };
const ADDS: Upgrade = { changes: ["alter table note add column kind text default 'plain'"] };
const RENAMES: Upgrade = { changes: ['alter table note rename to remark'], preventsDowngrade: true };
const notes = ({ sql }: DurableObjectStorage) => sql.exec('select * from note').toArray();

const everything = ({ sql }: DurableObjectStorage) => [
  sql.exec('select * from upgrade').toArray(),
  sql.exec("select name, sql from sqlite_master where name not like '%_cf_%'").toArray(),
];

describe('the tables of an object', () => {
  it('are upgraded from any earlier state, with each change applied once', () =>
    inStorage((storage) => {
      upgradeStorage(storage, [FIRST]);
      upgradeStorage(storage, [FIRST, ADDS]);
      upgradeStorage(storage, [FIRST, ADDS]);
      expect(notes(storage)).toEqual([{ text: 'first', kind: 'plain' }]);
    }));

  it('stay unchanged if an upgrade fails halfway', () =>
    inStorage((storage) => {
      upgradeStorage(storage, [FIRST]);
      const broken: Upgrade = { changes: [...ADDS.changes, 'insert into nothing values (1)'] };
      expect(() => upgradeStorage(storage, [FIRST, broken])).toThrow('nothing');
      expect(notes(storage)).toEqual([{ text: 'first' }]);
      upgradeStorage(storage, [FIRST, ADDS]);
      expect(notes(storage)).toEqual([{ text: 'first', kind: 'plain' }]);
    }));

  it('are used after an upgrade by a later release, unless that upgrade prevents a downgrade', () =>
    inStorage((storage) => {
      upgradeStorage(storage, [FIRST, ADDS]);
      upgradeStorage(storage, [FIRST]);
      expect(notes(storage)).toHaveLength(1);
      upgradeStorage(storage, [FIRST, ADDS, RENAMES]);
      const written = everything(storage);
      expect(() => upgradeStorage(storage, [FIRST, ADDS])).toThrow('later release');
      expect(() => upgradeStorage(storage, [FIRST])).toThrow('later release');
      expect(everything(storage)).toEqual(written);
      upgradeStorage(storage, [FIRST, ADDS, RENAMES]);
      expect(storage.sql.exec('select * from remark').toArray()).toHaveLength(1);
    }));

  it('are recognised after release 0.1.0, which did not record whether a downgrade is possible', () =>
    inStorage((storage) => {
      storage.sql.exec('create table upgrade (number integer primary key); insert into upgrade values (0)');
      storage.sql.exec("create table note (text text); insert into note values ('old')");
      upgradeStorage(storage, [FIRST, ADDS]);
      expect(notes(storage)).toEqual([{ text: 'old', kind: 'plain' }]);
    }));
});

/** Every Durable Object class with tables. */
const CLASSES = {
  PIPELINE_SYNC: SYNC_UPGRADES,
  JOB_STATE: JOB_UPGRADES,
  JOB_INTAKE: INTAKE_UPGRADES,
  METRICS_KEEPER: METRICS_UPGRADES,
  SEARCH_SHARD: SHARD_UPGRADES,
} as const;
const kinds = Object.entries(CLASSES) as [keyof typeof CLASSES, readonly Upgrade[]][];

describe.each(kinds)('an object of %s', (binding, upgrades) => {
  const stubs = (): DurableObjectNamespace => env[binding];

  it('rejects storage that a later release upgraded if that upgrade prevents a downgrade', async () => {
    const stub = stubs().get(stubs().newUniqueId());
    await runInDurableObject(stub, (_object, { storage }) => {
      upgradeStorage(storage, [...upgrades, { changes: [], preventsDowngrade: true }]);
    });
    await evictDurableObject(stub);
    // The intake opens its storage on the first call.
    const wake = (object: object) => (object instanceof JobIntake ? object.take('job') : undefined);
    await expect(runInDurableObject(stub, wake)).rejects.toThrow('later release');
  });

  it('works if a later release only added tables', async () => {
    const stub = stubs().get(stubs().newUniqueId());
    await runInDurableObject(stub, (_object, { storage }) => {
      upgradeStorage(storage, [...upgrades, { changes: ['create table later (a)'] }]);
    });
    await evictDurableObject(stub);
    await runInDurableObject(stub, (_object, { storage }) => {
      expect(storage.sql.exec('select * from later').toArray()).toEqual([]);
    });
  });
});

it('storage of a later release is reported to callers as a retryable error', async () => {
  const indexId = crypto.randomUUID();
  const shard = createObjects(env).searchShard(indexId, 0);
  await shard.stats();
  const stub = env.SEARCH_SHARD.get(env.SEARCH_SHARD.idFromName(`${indexId}/0`));
  await runInDurableObject(stub, (_object, { storage }) => {
    upgradeStorage(storage, [...SHARD_UPGRADES, { changes: [], preventsDowngrade: true }]);
  });
  await evictDurableObject(stub);
  await expect(shard.stats()).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

/** Number of upgrades that objects of earlier releases had applied, by class name. */
const recorded = import.meta.glob<Record<string, number>>('../fixtures/releases/*/expected.json', {
  import: 'upgrades',
  eager: true,
});
const toClassName = (binding: string) =>
  binding.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

describe.each(Object.entries(recorded))('since %s', (file, upgraded) => {
  const former = /([\d.]+)\/expected\.json$/.exec(file)![1]!;

  it.each(kinds)(
    'the upgrades of %s only add, or release.json names the new minimum release',
    (binding, upgrades) => {
      // Release 0.1.0 did not record the classes without an entry, so they start after their first upgrade.
      const since = upgrades.slice(upgraded[toClassName(binding)] ?? 1);
      const closing = since.filter(({ preventsDowngrade }) => preventsDowngrade);
      const statements = since.filter((each) => !closing.includes(each)).flatMap(({ changes }) => changes);
      const told = statements.filter((change) => typeof change === 'string');
      expect(told.flatMap(findBreakingStatements)).toEqual([]);
      expect(closing.length === 0 || isBefore(former, release.readableBy)).toBe(true);
    },
  );
});
