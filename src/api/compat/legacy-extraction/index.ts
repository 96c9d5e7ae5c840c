import { agentOperations } from './agents.ts';
import { jobOperations } from './jobs.ts';
import { runOperation } from './run.ts';
import { runOperations } from './runs.ts';
import { schemaOperations } from './schemas.ts';

/** Extraction by agents, as clients knew it before extract jobs of their own. */
export const legacyExtractionOperations = [
  ...schemaOperations,
  ...agentOperations,
  runOperation,
  ...jobOperations,
  ...runOperations,
];
