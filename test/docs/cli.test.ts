import { expect, it } from 'vitest';
import { BACKUP_USAGE, RESTORE_USAGE } from '#scripts/backup/options.ts';
import { USAGE as DEPLOY_USAGE, DESTROY_USAGE } from '#scripts/deploy/options.ts';
import { USAGE as EVALUATE_USAGE } from '#scripts/evaluate/options.ts';
import { USAGE as IMPORT_USAGE } from '#scripts/import/options.ts';
import { USAGE as TUNE_USAGE } from '#scripts/tune/options.ts';
import manifest from '../../package.json';

const [page = ''] = Object.values(
  import.meta.glob<string>('../../docs/reference/cli.md', { query: '?raw', import: 'default', eager: true }),
);

/** Scripts that npm runs by itself. */
const LIFECYCLE = ['preinstall', 'prepare'];

/** Scripts in the first column of the tables: `npm run name`, `npm start`, or the name alone. */
const documented = new Set(
  [...page.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(?:npm (?:run )?)?([\w:-]+)/g)].map(([, name]) => name),
  ),
);

it('lists every npm script', () => {
  const names = Object.keys(manifest.scripts).filter(
    (name) => !LIFECYCLE.includes(name) && !name.startsWith('bench:'),
  );
  expect(names.filter((name) => !documented.has(name))).toEqual([]);
});

it.each([
  ['backup', BACKUP_USAGE],
  ['restore', RESTORE_USAGE],
  ['deploy', DEPLOY_USAGE],
  ['destroy', DESTROY_USAGE],
  ['import', IMPORT_USAGE],
  ['evaluate', EVALUATE_USAGE],
  ['tune', TUNE_USAGE],
])('lists every option of %s', (_, usage) => {
  const options = [...new Set(usage.match(/--[a-z-]+\b/g))];
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !page.includes(option))).toEqual([]);
});
