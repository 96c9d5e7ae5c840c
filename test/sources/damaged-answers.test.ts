import { DAMAGED, sourceLies } from '#test/suites/source-lies.ts';
import { boxFixture } from './fixtures/box.ts';

// One source stands for all in the usual run. The others are in damaged-answers.slow.test.ts.
sourceLies(boxFixture, DAMAGED);
