import type { Faults } from './prompt.ts';
import type { Verification } from './verify/index.ts';

export const NO_FAULTS: Faults = { unsupported: [], misplaced: [], missing: [] };

/**
 * Converts a verification to the errors that a repair prompt lists. Returns no errors if there is no
 * verification.
 */
export const toFaults = (verification: Verification | undefined): Faults =>
  verification
    ? {
        unsupported: verification.unsupported.map(({ text }) => text),
        misplaced: verification.misplaced.map(({ text, printed }) => ({ text, printed })),
        missing: verification.missing.samples,
      }
    : NO_FAULTS;
