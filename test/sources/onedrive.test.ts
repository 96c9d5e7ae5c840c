import { sourceSuite } from '#test/suites/source.suite.ts';
import { oneDriveFixture } from './fixtures/microsoft-graph.ts';

sourceSuite(oneDriveFixture);
