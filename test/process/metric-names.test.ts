import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { METRICS } from '#src/metrics/registry.ts';

it('every metric is counted in the source', () => {
  const files = globSync('{src,queues,durable-objects}/**/*.ts').filter(
    (path) => !path.endsWith('registry.ts'),
  );
  const source = files.map((path) => readFileSync(path, 'utf8')).join('\n');
  const uncounted = Object.keys(METRICS).filter((name) => !source.includes(`'${name}'`));
  expect(uncounted).toEqual([]);
});
