import { matchesGlob } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest although they are short. Vitest starts with the largest files, so these would come last and
 * leave one of the two runtimes without work.
 */
const LONGEST = [
  'test/api/tenancy.test.ts',
  'test/api/contract.test.ts',
  'test/api/authorisation.test.ts',
  'test/services/sync/every-source.slow.test.ts',
  'test/services/organizations/deleted-while-busy.slow.test.ts',
  'test/durable-objects/*-sink-suite.*test.ts',
  'console/test/indexes.slow.test.ts',
];

/** Starts with the files that take longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((pattern) => matchesGlob(moduleId, `**/${pattern}`));
  return found === -1 ? LONGEST.length : found;
}
