import type { SourceType } from './kinds.ts';

/** What people call each kind, in words that name no vendor. */
export const SOURCE_TITLES: Readonly<Record<SourceType, string>> = {
  SOURCE_1_BLOB: 'Blob container store',
  SOURCE_2_FOLDERS: 'Folder sharing store',
  SOURCE_3_WIKI: 'Wiki',
  SOURCE_4_DRIVE: 'Cloud drive',
  SOURCE_5_ISSUES: 'Issue tracker',
  SOURCE_5_ISSUES_V2: 'Issue tracker, version 2',
  SOURCE_6_PERSONAL_DRIVE: 'Personal drive',
  SOURCE_7_SITE: 'Team site',
  SOURCE_8_PAGE: 'Notes pages',
  SOURCE_9_BUCKET: 'Object bucket store',
  SOURCE_10_CHAT: 'Chat workspace',
};
