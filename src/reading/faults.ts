import type { Faults } from './prompt.ts';
import type { Verification } from './verify/index.ts';

export const NO_FAULTS: Faults = { unsupported: [], misplaced: [], missing: [] };

/**
 * Converts the verification of a model's answer to the errors that the next prompt lists. Returns no errors
 * if there is no verification.
 */
export const toFaults = (verification: Verification | undefined): Faults =>
  verification
    ? {
        unsupported: verification.unsupported.map(({ text }) => text),
        misplaced: verification.misplaced.map(({ text, printed }) => ({ text, printed })),
        missing: verification.missing.samples,
      }
    : NO_FAULTS;
