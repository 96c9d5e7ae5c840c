import { expect, it } from 'vitest';
import { inferSearchFilters } from '#src/retrieval/infer-filters.ts';
import { newReport } from '#src/retrieval/ports.ts';

it('a schema that cannot be read costs the filters, not the answer', async () => {
  const unreadable = {
    get properties(): never {
      throw new Error('no');
    },
  };
  const report = newReport();
  expect(await inferSearchFilters('reports of 2023', unreadable, undefined, report)).toBeUndefined();
  expect(report.notes).toMatchObject({ filter_inference_failed: 'no' });
});
