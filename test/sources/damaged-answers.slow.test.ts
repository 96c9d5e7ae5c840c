import { DAMAGED, sourceLies } from '#test/suites/source-lies.ts';
import { sourceFixtures } from './fixtures/all.ts';

for (const fixture of sourceFixtures) sourceLies(fixture, DAMAGED);
