import fc from 'fast-check';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** What property tests draw from: the seed of every draw, and how many times the usual number of cases. */
    fuzz: { seed: number; times: number };
    /** Whether `npm run record:examples` records the examples of the API's description. */
    recordExamples: boolean;
    /** The port of the database of test/databases/relational.ts on 127.0.0.1. */
    relational: number;
    /** Where the badly behaved server of test/process/loopback.ts listens: `http://127.0.0.1:<port>`. */
    loopback: string;
    /** Where the server of test/vendors/server.ts listens. */
    vendors: string;
  }
}

// The suite plays the same cases every time, so that it fails for a change and not by chance;
// `npm run test:fuzz` draws new ones, and prints the seed with any case that fails.
const { seed, times } = inject('fuzz');
fc.configureGlobal({ seed });

export const runs = (usual: number): number => usual * times;
