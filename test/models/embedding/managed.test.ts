import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { managedFixture } from './fixtures/managed.ts';

embedderSuite(managedFixture);
