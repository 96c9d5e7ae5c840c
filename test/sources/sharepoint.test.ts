import { sourceSuite } from '#test/suites/source.suite.ts';
import { sharePointFixture } from './fixtures/microsoft-graph.ts';

sourceSuite(sharePointFixture);
