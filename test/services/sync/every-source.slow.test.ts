import { blobApplicationFixture } from '#test/sources/fixtures/azure-blob-storage.ts';
import { boxFixture } from '#test/sources/fixtures/box.ts';
import { confluenceFixture } from '#test/sources/fixtures/confluence.ts';
import { jiraFixture } from '#test/sources/fixtures/jira.ts';
import { oneDriveFixture, sharePointFixture } from '#test/sources/fixtures/microsoft-graph.ts';
import { notionFixture } from '#test/sources/fixtures/notion.ts';
import { slackFixture } from '#test/sources/fixtures/slack.ts';
import { sourceSyncSuite } from '#test/suites/source-sync.suite.ts';

/**
 * Sources whose vendors the tests can simulate inside the runtime. The syncs of the bucket source are in
 * test/process, and those of Google Drive in one-source.test.ts.
 */
for (const fixture of [
  blobApplicationFixture,
  boxFixture,
  confluenceFixture,
  jiraFixture,
  notionFixture,
  oneDriveFixture,
  sharePointFixture,
  slackFixture,
])
  sourceSyncSuite(fixture);
