/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest';
import { batchProcessingOperations } from '#src/api/compat/batches/batch-processing.ts';
import { clientBatchOperations } from '#src/api/compat/batches/batches.ts';
import { clientChatOperations } from '#src/api/compat/indexes/chat.ts';
import { clientIndexOperations } from '#src/api/compat/indexes/indexes.ts';
import { clientRetrievalOperations } from '#src/api/compat/indexes/retrieval.ts';
import { legacyClassificationOperations } from '#src/api/compat/legacy-classification/index.ts';
import { legacyExtractionOperations } from '#src/api/compat/legacy-extraction/index.ts';
import type { Operation } from '#src/api/operation/operation-types.ts';
import { documentedFields, marked } from '#test/support/without-effect.ts';

const pages = import.meta.glob<string>('../../../docs/reference/wire-compatibility-*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

it.each<[string, readonly Operation[]]>([
  ['extraction', [...legacyExtractionOperations, ...legacyClassificationOperations]],
  ['batches', [...clientBatchOperations, ...batchProcessingOperations]],
  ['indexes', [...clientIndexOperations, ...clientRetrievalOperations, ...clientChatOperations]],
])('the page about %s lists every field without effect by operation', (subject, operations) => {
  const page = pages[`../../../docs/reference/wire-compatibility-${subject}.md`]!;
  expect(operations.flatMap(marked).toSorted()).toEqual(documentedFields(page).toSorted());
});
