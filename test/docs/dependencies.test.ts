import { expect, it } from 'vitest';
import manifest from '../../package.json';

const [page = ''] = Object.values(
  import.meta.glob<string>('../../docs/explanation/decisions.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

/**
 * Packages in the first column of the tables. A cell may list several and explain one in brackets. `@scope/*` stands
 * for all packages of a scope.
 */
const documented = new Set(
  [...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', ').map((name) => name.replace(/ \(.*$/, '')),
  ),
);

it('docs/explanation/decisions.md has a line for every dependency', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const isDocumented = (name: string) => documented.has(name) || documented.has(name.replace(/[^/]+$/, '*'));
  expect(names.filter((name) => !isDocumented(name))).toEqual([]);
});
