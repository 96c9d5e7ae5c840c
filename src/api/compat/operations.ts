import type { Operation } from '#src/api/operation/operation-types.ts';
import { OPERATIONS } from '#src/api/operations.ts';
import { legacyClassificationOperations } from './legacy-classification/index.ts';
import { legacyExtractionOperations } from './legacy-extraction/index.ts';
import { legacyParsingOperations } from './legacy-parsing/operations.ts';
import { clientConfigurationOperations } from './parse/configurations.ts';
import { clientParseOperations } from './parse/operations.ts';
import { clientDocumentOperations } from './pipeline-documents.ts';

/** What clients of the hosted original call and the service itself has in another shape, or not at all. */
export const CLIENT_OPERATIONS = [
  ...clientDocumentOperations,
  ...clientParseOperations,
  ...clientConfigurationOperations,
  ...legacyParsingOperations,
  ...legacyExtractionOperations,
  ...legacyClassificationOperations,
] as const satisfies readonly Operation[];

const place = ({ method, path }: Operation) => `${method} ${path}`;
const own = new Set(CLIENT_OPERATIONS.map(place));

/** Every operation under /compat. Where the clients' shape differs from the service's, it stands in its stead. */
export const COMPAT_OPERATIONS: readonly Operation[] = [
  ...CLIENT_OPERATIONS,
  ...OPERATIONS.filter((operation) => !own.has(place(operation))),
];

/** The name of an operation that only existing clients are given. */
export type ClientOperationId = (typeof CLIENT_OPERATIONS)[number]['id'];
