/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';
import { legacyClassificationOperations } from '#src/api/compat/legacy-classification/index.ts';
import { legacyExtractionOperations } from '#src/api/compat/legacy-extraction/index.ts';
import type { Operation } from '#src/api/operation/operation-types.ts';
import { marked } from '#test/support/without-effect.ts';

const [table = ''] = Object.values(
  import.meta.glob<string>('../../../docs/compat-extraction.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

it('the document names every field that changes nothing, operation by operation', () => {
  const operations: readonly Operation[] = [...legacyExtractionOperations, ...legacyClassificationOperations];
  const found = operations.flatMap(marked);
  const rows = [...table.matchAll(/^\| `(\w+)` \| `([\w.]+)` \|/gm)].map(([, id, field]) => `${id} ${field}`);
  expect(found.toSorted()).toEqual(rows.toSorted());
});
