import type { Operation } from '#src/api/operation/operation-types.ts';
import { OPERATIONS } from '#src/api/operations.ts';
import { clientAgentDataOperations } from './agent-data.ts';
import { batchProcessingOperations } from './batches/batch-processing.ts';
import { clientBatchOperations } from './batches/batches.ts';
import { clientChatOperations } from './indexes/chat.ts';
import { clientIndexOperations } from './indexes/indexes.ts';
import { clientRetrievalOperations } from './indexes/retrieval.ts';
import { legacyClassificationOperations } from './legacy-classification/index.ts';
import { legacyExtractionOperations } from './legacy-extraction/index.ts';
import { legacyParsingOperations } from './legacy-parsing/operations.ts';
import { clientConfigurationOperations } from './parse/configurations.ts';
import { clientParseOperations } from './parse/operations.ts';
import { parseConfigurationOperations } from './parse/parse-configurations.ts';
import { clientDocumentOperations } from './pipeline-documents.ts';
import { clientSheetsOperations } from './sheets.ts';
import { clientSplitOperations } from './split.ts';
import { clientSplitJobOperations } from './split-jobs.ts';

/** Operations of LlamaCloud's API that Sluice's own API lacks or has in another form. */
export const CLIENT_OPERATIONS = [
  ...clientDocumentOperations,
  ...clientParseOperations,
  ...clientConfigurationOperations,
  ...parseConfigurationOperations,
  ...clientBatchOperations,
  ...batchProcessingOperations,
  ...clientAgentDataOperations,
  ...legacyParsingOperations,
  ...legacyExtractionOperations,
  ...legacyClassificationOperations,
  ...clientSplitOperations,
  ...clientSplitJobOperations,
  ...clientSheetsOperations,
  ...clientIndexOperations,
  ...clientRetrievalOperations,
  ...clientChatOperations,
] as const satisfies readonly Operation[];

const getRoute = ({ method, path }: Operation) => `${method} ${path}`;
const clientRoutes = new Set(CLIENT_OPERATIONS.map(getRoute));

/**
 * All operations under /compat. Operations in the format of LlamaCloud's clients replace those of Sluice with
 * the same route.
 */
export const COMPAT_OPERATIONS: readonly Operation[] = [
  ...CLIENT_OPERATIONS,
  ...OPERATIONS.filter((operation) => !clientRoutes.has(getRoute(operation))),
];

/** Id of an operation that exists only for clients of LlamaCloud. */
export type ClientOperationId = (typeof CLIENT_OPERATIONS)[number]['id'];
