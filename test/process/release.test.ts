import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VERSION } from '#src/api/openapi/version.ts';
import { wantedBy } from '../../scripts/deploy/configs.ts';
import { isBefore } from '../../scripts/deploy/is-before.ts';
import { readRelease } from '../../scripts/deploy/release.ts';
import { stopsOf, wayBack } from '../../scripts/deploy/way-back.ts';
import { listMigrations } from '../../scripts/migrations/landed.ts';
import { readRecorded, recordedReleases } from './recorded/recorded.ts';

const release = readRelease();
const wanted = wantedBy({ name: 'harbour', account_id: '0'.repeat(32) });

it('has one number wherever it is told', () => {
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

    it('has all its migrations in this one, unchanged in their order', () => {
      const { length } = recorded.migrations;
      expect(listMigrations(wanted.migrations).slice(0, length)).toEqual(recorded.migrations);
      expect(all.map(({ tag }) => tag)).toContain(recorded.classes);
    });

    it('can be gone back to, unless release.json says from which release on its data are read', () => {
      const isClosed = isBefore(former, release.readableBy);
      expect(isClosed || stopsOf(changes).length === 0, stopsOf(changes).join('\n')).toBe(true);
    });
  },
);

it.each([
  ['0.9.0', '0.10.0', true],
  ['0.10.0', '0.9.9', false],
  ['1.0.0', '1.0.0', false],
])('%s comes before %s: %s', (one, other, expected) => expect(isBefore(one, other)).toBe(expected));

describe('the way back', () => {
  const nothing = { folder: wanted.migrations, migrations: [], classes: [] };
  const next = { release: '2.0.0', readableBy: '1.5.0', because: 'Rows are written otherwise.' };

  it('is not spoken of where nothing was deployed, nothing differs, or it is being gone', () => {
    expect(wayBack(nothing, next, undefined)).toBeUndefined();
    expect(wayBack(nothing, next, '2.0.0')).toBeUndefined();
    expect(wayBack(nothing, next, '2.0.1')).toBeUndefined();
  });

  it('leads as far back as the release says', () => {
    expect(wayBack(nothing, next, '1.5.0')).toMatch(/^There is a way back/);
    expect(wayBack(nothing, next, '1.4.9')).toContain('for 1.5.0 and later: Rows');
  });

  it('ends at a class of objects, since the platform takes no upload without it', () => {
    const classes = [{ tag: 'v5', new_sqlite_classes: ['Ledger'] }];
    expect(wayBack({ ...nothing, classes }, next, '1.5.0')).toMatch(/no way back.*v5.*Ledger/s);
  });
});
