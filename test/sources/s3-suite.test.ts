import { sourceSuite } from '#test/suites/source.suite.ts';
import { s3Fixture } from './fixtures/s3.ts';

sourceSuite(s3Fixture);
