import type { LanguageModel } from 'ai';
import { expect, it } from 'vitest';
import { inferSearchFilters } from '#src/retrieval/infer-filters.ts';
import { createReport } from '#src/retrieval/ports.ts';

it('an invalid schema disables filter inference, but does not fail the query', async () => {
  const unreadable = {
    get properties(): never {
      throw new Error('no');
    },
  };
  const report = createReport();
  expect(await inferSearchFilters('reports of 2023', unreadable, undefined, report)).toBeUndefined();
  expect(report.notes).toMatchObject({ filter_inference_failed: 'no' });
});

it('a stored schema above the size limit disables filter inference, and is not sent to a model', async () => {
  const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f${at}`, {}]));
  const report = createReport();
  const model = { doGenerate: () => expect.unreachable() } as unknown as LanguageModel;
  expect(await inferSearchFilters('reports of 2023', { properties }, model, report)).toBeUndefined();
  expect(report.notes).toEqual({
    filter_inference_failed: expect.stringContaining('1001 properties and listed values, but at most 1000'),
  });
});
