import type { Faults } from './prompt.ts';
import type { Verification } from './verify/index.ts';

export const NO_FAULTS: Faults = { unsupported: [], misplaced: [], missing: [] };

/** Returns the errors found in an answer, in the form in which the model is told about them. */
export const faultsOf = (verification: Verification | undefined): Faults =>
  verification
    ? {
        unsupported: verification.unsupported.map(({ text }) => text),
        misplaced: verification.misplaced.map(({ text, printed }) => ({ text, printed })),
        missing: verification.missing.samples,
      }
    : NO_FAULTS;
