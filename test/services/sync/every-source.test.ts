import { boxFixture } from '#test/sources/fixtures/box.ts';
import { oneDriveFixture, sharePointFixture } from '#test/sources/fixtures/microsoft-graph.ts';
import { slackFixture } from '#test/sources/fixtures/slack.ts';
import { sourceSyncSuite } from '#test/suites/source-sync.suite.ts';

/** The sources whose vendors the tests can play inside the runtime; the bucket's syncs are in test/process. */
for (const fixture of [boxFixture, oneDriveFixture, sharePointFixture, slackFixture])
  sourceSyncSuite(fixture);
