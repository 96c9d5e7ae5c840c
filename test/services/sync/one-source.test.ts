import { googleDriveFixture } from '#test/sources/fixtures/google-drive.ts';
import { sourceSyncSuite } from '#test/suites/source-sync.suite.ts';

// One real sync stands for all sources in the usual run. The others are in every-source.slow.test.ts.
sourceSyncSuite(googleDriveFixture);
