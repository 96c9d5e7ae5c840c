/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';
import { legacyClassificationOperations } from '#src/api/compat/legacy-classification/index.ts';
import { legacyExtractionOperations } from '#src/api/compat/legacy-extraction/index.ts';
import type { Operation } from '#src/api/operation/operation-types.ts';
import { documentedFields, marked } from '#test/support/without-effect.ts';

const [table = ''] = Object.values(
  import.meta.glob<string>('../../../docs/reference/wire-compatibility-extraction.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

it('the documentation lists every field without effect by operation', () => {
  const operations: readonly Operation[] = [...legacyExtractionOperations, ...legacyClassificationOperations];
  const found = operations.flatMap(marked);
  expect(found.toSorted()).toEqual(documentedFields(table).toSorted());
});
