import { agentOperations } from './agents.ts';
import { jobOperations } from './jobs.ts';
import { runOperation } from './run.ts';
import { runOperations } from './runs.ts';
import { schemaOperations } from './schemas.ts';

/** Operations for extraction by agents, from before clients had extract jobs. */
export const legacyExtractionOperations = [
  ...schemaOperations,
  ...agentOperations,
  runOperation,
  ...jobOperations,
  ...runOperations,
];
