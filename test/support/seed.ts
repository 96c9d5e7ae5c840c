import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Seed of property tests, and a factor for their number of cases. */
    fuzz: { seed: number; times: number };
    /** Whether `npm run record:examples` records the examples of the API description. */
    recordExamples: boolean;
    /** Port of the test database of test/databases/relational.ts on 127.0.0.1. */
    relational: number;
    /** URL of the misbehaving server of test/process/loopback.ts. */
    loopback: string;
    /** URL of the server of test/vendors/server.ts. */
    vendors: string;
  }
}

// Runs the same cases every time, so that failures are caused by changes. `npm run test:fuzz` uses new cases
// and prints the seed of a failure.
const { seed, times } = inject('fuzz');
fc.configureGlobal({ seed });

export const runs = (usual: number): number => usual * times;
