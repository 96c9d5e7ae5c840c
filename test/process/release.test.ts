import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VERSION } from '#src/api/openapi/version.ts';
import { buildDesiredState } from '../../scripts/deploy/configs.ts';
import { isBefore } from '../../scripts/deploy/is-before.ts';
import { readRelease } from '../../scripts/deploy/release.ts';
import { describeRollback, listRollbackObstacles } from '../../scripts/deploy/rollback.ts';
import { listMigrations } from '../../scripts/migrations/landed.ts';
import { readRecorded, recordedReleases } from './recorded/recorded.ts';

const release = readRelease();
const wanted = buildDesiredState({ name: 'harbour', account_id: '0'.repeat(32) });

it('release number is the same everywhere', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect([version, VERSION]).toEqual([release.release, release.release]);
  expect(isBefore(release.release, release.readableBy)).toBe(false);
});

describe.each(recordedReleases().filter((each) => isBefore(each, release.release)))(
  'release %s',
  (former) => {
    const recorded = readRecorded(former);
    const all = wanted.configs.service.migrations!;
    const changes = {
      folder: wanted.migrations,
      migrations: listMigrations(wanted.migrations).filter((name) => !recorded.migrations.includes(name)),
      classes: all.slice(all.findIndex(({ tag }) => tag === recorded.classes) + 1),
    };

    it('has all its migrations in this release, unchanged and in order', () => {
      const { length } = recorded.migrations;
      expect(listMigrations(wanted.migrations).slice(0, length)).toEqual(recorded.migrations);
      expect(all.map(({ tag }) => tag)).toContain(recorded.classes);
    });

    it('supports rollback unless release.json sets a later readableBy', () => {
      const isClosed = isBefore(former, release.readableBy);
      expect(
        isClosed || listRollbackObstacles(changes).length === 0,
        listRollbackObstacles(changes).join('\n'),
      ).toBe(true);
    });
  },
);

it.each([
  ['0.9.0', '0.10.0', true],
  ['0.10.0', '0.9.9', false],
  ['1.0.0', '1.0.0', false],
])('%s comes before %s: %s', (one, other, expected) => expect(isBefore(one, other)).toBe(expected));

describe('rollback description', () => {
  const nothing = { folder: wanted.migrations, migrations: [], classes: [] };
  const next = { release: '2.0.0', readableBy: '1.5.0', because: 'Rows are written otherwise.' };

  it('is undefined if nothing was deployed, nothing differs or a rollback is running', () => {
    expect(describeRollback(nothing, next, undefined)).toBeUndefined();
    expect(describeRollback(nothing, next, '2.0.0')).toBeUndefined();
    expect(describeRollback(nothing, next, '2.0.1')).toBeUndefined();
  });

  it('covers releases back to readableBy', () => {
    expect(describeRollback(nothing, next, '1.5.0')).toMatch(/^A rollback will be possible/);
    expect(describeRollback(nothing, next, '1.4.9')).toContain(
      'release 1.5.0 or later is needed to read the data of release 2.0.0: Rows',
    );
  });

  it('ends at a new Durable Object class, which the platform requires', () => {
    const classes = [{ tag: 'v5', new_sqlite_classes: ['Ledger'] }];
    expect(describeRollback({ ...nothing, classes }, next, '1.5.0')).toMatch(
      /rollback will need a backup.*v5.*Ledger/s,
    );
  });
});
