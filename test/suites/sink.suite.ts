import { describe } from 'vitest';
import { chunkMetadataRules } from './sink/chunk-metadata.ts';
import { contentRules } from './sink/contents.ts';
import { failureRules } from './sink/failures.ts';
import { filterRules } from './sink/filters.ts';
import type { SinkFixture } from './sink/fixture.ts';
import { hostileRules } from './sink/hostile.ts';
import { lossRules } from './sink/losses.ts';
import { searchRules } from './sink/search.ts';
import { versionRules } from './sink/versions.ts';

export type { SinkFixture } from './sink/fixture.ts';

/** Tests that every vector store driver must pass. Vectors have 8 dimensions. */
export function sinkSuite(fixture: SinkFixture) {
  describe(`sink: ${fixture.kind}`, () => {
    versionRules(fixture);
    contentRules(fixture);
    searchRules(fixture);
    filterRules(fixture);
    chunkMetadataRules(fixture);
    hostileRules(fixture);
    failureRules(fixture);
    lossRules(fixture);
  });
}
