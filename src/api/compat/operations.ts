import type { Operation } from '#src/api/operation/operation-types.ts';
import { OPERATIONS } from '#src/api/operations.ts';
import { legacyClassificationOperations } from './legacy-classification/index.ts';
import { legacyExtractionOperations } from './legacy-extraction/index.ts';
import { legacyParsingOperations } from './legacy-parsing/operations.ts';
import { clientConfigurationOperations } from './parse/configurations.ts';
import { clientParseOperations } from './parse/operations.ts';
import { clientDocumentOperations } from './pipeline-documents.ts';

/** Operations of the original that the service lacks or has in another shape. */
export const CLIENT_OPERATIONS = [
  ...clientDocumentOperations,
  ...clientParseOperations,
  ...clientConfigurationOperations,
  ...legacyParsingOperations,
  ...legacyExtractionOperations,
  ...legacyClassificationOperations,
] as const satisfies readonly Operation[];

const getRoute = ({ method, path }: Operation) => `${method} ${path}`;
const clientRoutes = new Set(CLIENT_OPERATIONS.map(getRoute));

/** All operations under /compat. Operations in the clients' shape replace those of the service. */
export const COMPAT_OPERATIONS: readonly Operation[] = [
  ...CLIENT_OPERATIONS,
  ...OPERATIONS.filter((operation) => !clientRoutes.has(getRoute(operation))),
];

/** Id of an operation that only existing clients use. */
export type ClientOperationId = (typeof CLIENT_OPERATIONS)[number]['id'];
