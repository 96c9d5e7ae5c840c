import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { RunLedger } from '#objects/sync/run-ledger.ts';
import { LEASE_AFTER_RESTART_MS, LEASE_COLUMNS, LEASE_MS, Leases } from '#src/work/lease.ts';

/** Runs a function with the storage of an object that nothing else uses. */
function inStorage<T>(use: (storage: DurableObjectStorage) => T): Promise<T> {
  const stub = env.JOB_STATE.get(env.JOB_STATE.newUniqueId());
  return runInDurableObject(stub, (_object, { storage }) => use(storage));
}

const inLeases = <T>(use: (leases: Leases, row: () => unknown) => T) =>
  inStorage(({ sql }) => {
    sql.exec(`create table job (id integer primary key, ${LEASE_COLUMNS}); insert into job (id) values (1)`);
    const row = () => sql.exec('select consumer, leaseUntil, starts, lost from job').one();
    return use(new Leases(sql, 'job'), row);
  });

const NOW = 1_000_000;

describe('a lease', () => {
  it('belongs to one consumer until it expires, and can then be claimed by another', () =>
    inLeases((leases, row) => {
      expect(leases.claim(1, 'one', NOW)).toBe(true);
      expect(leases.claim(1, 'two', NOW + LEASE_MS - 1)).toBe(false);
      expect(row()).toEqual({ consumer: 'one', leaseUntil: NOW + LEASE_MS, starts: 1, lost: 0 });
      expect(leases.expired(NOW + LEASE_MS - 1)).toEqual([]);
      expect(leases.expired(NOW + LEASE_MS)).toEqual([['1']]);
      expect(leases.claim(1, 'two', NOW + LEASE_MS)).toBe(true);
      expect(row()).toMatchObject({ consumer: 'two', starts: 2, lost: 1 });
      expect(leases.renew(1, 'one', NOW + LEASE_MS)).toBe(false);
    }));

  it('is renewed by a heartbeat', () =>
    inLeases((leases) => {
      leases.claim(1, 'one', NOW);
      expect(leases.renew(1, 'one', NOW + 20_000)).toBe(true);
      expect(leases.expired(NOW + LEASE_MS)).toEqual([]);
      expect(leases.claim(1, 'two', NOW + LEASE_MS)).toBe(false);
      expect(leases.claim(1, 'two', NOW + 20_000 + LEASE_MS)).toBe(true);
    }));

  it('has no consumer after it is revoked, and still counts its start until a start ends', () =>
    inLeases((leases, row) => {
      leases.claim(1, 'one', NOW);
      leases.takeBack(1);
      expect(leases.renew(1, 'one', NOW)).toBe(false);
      expect(row()).toEqual({ consumer: null, leaseUntil: 0, starts: 1, lost: 1 });
      leases.claim(1, 'two', NOW);
      expect(row()).toMatchObject({ starts: 2, lost: 1 });
      leases.end(1);
      expect(row()).toEqual({ consumer: null, leaseUntil: 0, starts: 0, lost: 1 });
      expect(leases.expired(NOW + LEASE_MS)).toEqual([]);
    }));

  it('has a shorter expiry after a restart, and never a longer one', () =>
    inLeases((leases, row) => {
      leases.claim(1, 'one', NOW);
      leases.shorten(NOW);
      expect(row()).toMatchObject({ leaseUntil: NOW + LEASE_AFTER_RESTART_MS });
      leases.shorten(NOW + 5_000);
      expect(row()).toMatchObject({ leaseUntil: NOW + LEASE_AFTER_RESTART_MS });
      leases.renew(1, 'one', NOW);
      expect(row()).toMatchObject({ leaseUntil: NOW + LEASE_MS });
    }));
});

it('gives each claim a different version, even within one millisecond or if the clock goes back', () =>
  inStorage((storage) => {
    const ledger = new RunLedger(storage);
    ledger.open(
      { pipelineId: 'p', jobId: 'j', reason: 'request', scope: { sources: [], fileIds: null } },
      NOW,
    );
    const ids = ['file:1', 'file:2', 'file:3'];
    ledger.add(
      1,
      ids.map((id) => ({ id, kind: 'file', fileId: id })),
    );
    const versions = [NOW, NOW, NOW - 500].map((now, k) => ledger.claim([ids[k]!], 'one', now).version);
    versions.push(ledger.claim(['file:1'], 'two', NOW + LEASE_MS).version);
    expect(versions).toEqual([NOW, NOW + 1, NOW + 2, NOW + LEASE_MS]);
    expect(ledger.claim(['file:1'], 'three', NOW + LEASE_MS).items).toEqual([]);
  }));
