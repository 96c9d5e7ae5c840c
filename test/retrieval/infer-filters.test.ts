import type { LanguageModel } from 'ai';
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

it('a saved schema that is larger than requests may give costs the filters, and is shown to no model', async () => {
  const properties = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f${at}`, {}]));
  const report = newReport();
  const model = { doGenerate: () => expect.unreachable() } as unknown as LanguageModel;
  expect(await inferSearchFilters('reports of 2023', { properties }, model, report)).toBeUndefined();
  expect(report.notes).toEqual({
    filter_inference_failed: expect.stringContaining('1001 properties and listed values, at most 1000'),
  });
});
