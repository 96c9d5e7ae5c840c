import { expect, it } from 'vitest';
import { SOURCE_TYPES } from '#src/sources/registry.ts';
import type { SourceFixture } from '#test/suites/source.suite.ts';
import { sourceLies } from '#test/suites/source-lies.ts';
import { LARGE_LIES } from '#test/vendors/lies.ts';
import { blobApplicationFixture, blobFixture } from './fixtures/azure-blob-storage.ts';
import { boxFixture } from './fixtures/box.ts';
import { confluenceFixture } from './fixtures/confluence.ts';
import { googleDriveFixture } from './fixtures/google-drive.ts';
import { jiraFixture, jiraV2Fixture } from './fixtures/jira.ts';
import { oneDriveFixture, sharePointFixture } from './fixtures/microsoft-graph.ts';
import { notionFixture } from './fixtures/notion.ts';
import { s3Fixture } from './fixtures/s3.ts';
import { slackFixture } from './fixtures/slack.ts';

const fixtures: readonly SourceFixture[] = [
  blobFixture,
  blobApplicationFixture,
  boxFixture,
  confluenceFixture,
  googleDriveFixture,
  jiraFixture,
  jiraV2Fixture,
  notionFixture,
  oneDriveFixture,
  s3Fixture,
  sharePointFixture,
  slackFixture,
];

// Files may be large, so only listings contain the lies.
for (const fixture of fixtures) sourceLies(fixture, { listing: LARGE_LIES, file: [] });

it('fixtures cover every data source', () => {
  const kinds = new Set(fixtures.map(({ definition }) => definition.kind));
  expect([...kinds].sort()).toEqual([...SOURCE_TYPES].sort());
});
