import { z } from 'zod';
import { componentInput, field, regexText } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';

// What each data source is told, per source_type. User information and signing parameters in addresses are
// protected as secrets are.

export const SOURCE_TYPES = [
  'SOURCE_1_BLOB',
  'SOURCE_2_FOLDERS',
  'SOURCE_3_WIKI',
  'SOURCE_4_DRIVE',
  'SOURCE_5_ISSUES',
  'SOURCE_5_ISSUES_V2',
  'SOURCE_6_PERSONAL_DRIVE',
  'SOURCE_7_SITE',
  'SOURCE_8_PAGE',
  'SOURCE_9_BUCKET',
  'SOURCE_10_CHAT',
] as const;
export const sourceType = z.enum(SOURCE_TYPES);
export type SourceType = z.infer<typeof sourceType>;

function source<Shape extends z.ZodRawShape>(className: string, shape: Shape) {
  return z.looseObject({
    class_name: field.textOr(className),
    supports_access_control: field.flagOr(false),
    ...shape,
  });
}

const blobContainer = source('CloudAzStorageBlobDataSource', {
  account_url: z.string(),
  container_name: z.string(),
  account_key: secret().nullish(),
  account_name: field.text(),
  blob: field.text(),
  client_id: field.text(),
  client_secret: secret().nullish(),
  prefix: field.text(),
  tenant_id: field.text(),
});

const folderSharing = source('CloudBoxDataSource', {
  authentication_mechanism: z.enum(['ccg', 'developer_token']),
  client_id: field.text(),
  client_secret: secret().nullish(),
  developer_token: secret().nullish().describe('Used when the mechanism is developer_token.'),
  enterprise_id: field.text().describe('Authenticates as the service.'),
  folder_id: field.text(),
  user_id: field.text().describe('Authenticates as this user.'),
});

const wiki = source('CloudConfluenceDataSource', {
  authentication_mechanism: z.string(),
  server_url: z.string(),
  api_token: secret().nullish(),
  cql: field.text(),
  failure_handling: z.looseObject({ skip_list_failures: field.flag() }).nullish(),
  index_restricted_pages: field.flagOr(false),
  keep_markdown_format: field.flag(),
  label: field.text(),
  page_ids: field.text(),
  space_key: field.text(),
  user_name: field.text(),
  sync_permissions: field.flag().describe('Disable where the permission interfaces are unavailable.'),
});

const cloudDrive = source('CloudGoogleDriveDataSource', {
  folder_id: z.string(),
  folder_name: field.text().describe('For display.'),
  service_account_key: z.record(z.string(), secret()).nullish(),
});

const issueTracker = source('CloudJiraDataSource', {
  authentication_mechanism: z.string(),
  query: z.string(),
  api_token: secret().nullish().describe('For basic, PAT and OAuth2.'),
  cloud_id: field.text().describe('For OAuth2.'),
  email: field.text(),
  server_url: field.text(),
});

const issueTrackerV2 = source('CloudJiraDataSourceV2', {
  authentication_mechanism: z.string(),
  query: z.string(),
  server_url: z.string(),
  api_token: secret().nullish(),
  api_version: z.enum(['2', '3']).nullable().default('2').describe('3 supports a rich document format.'),
  cloud_id: field.text(),
  email: field.text(),
  expand: field.text(),
  fields: field.texts().describe('All fields when omitted.'),
  get_permissions: field.flagOr(true),
  requests_per_minute: field.int(),
});

const personalDrive = source('CloudOneDriveDataSource', {
  client_id: z.string(),
  client_secret: secret(),
  tenant_id: z.string(),
  user_principal_name: z.string(),
  folder_id: field.text(),
  folder_path: field.text(),
  required_exts: field.texts(),
  supports_access_control: field.onlyTrue(),
});

const teamSite = source('CloudSharepointDataSource', {
  client_id: z.string(),
  client_secret: secret(),
  tenant_id: z.string(),
  drive_name: field.text(),
  exclude_path_patterns: z.array(regexText()).nullish().describe('Against the full path with the file name.'),
  folder_id: field.text(),
  folder_path: field.text(),
  get_permissions: field.flagOr(true),
  include_path_patterns: z.array(regexText()).nullish().describe('The full path must match one of them.'),
  required_exts: field.texts(),
  site_id: field.text(),
  site_name: field.text(),
  supports_access_control: field.onlyTrue(),
});

const notesPages = source('CloudNotionPageDataSource', {
  integration_token: secret(),
  database_ids: field.text(),
  page_ids: field.text(),
});

const objectBucket = source('CloudS3DataSource', {
  bucket: z.string(),
  cloud_access_id: field.text(),
  cloud_access_secret: secret().nullish(),
  prefix: field.text(),
  regex_pattern: regexText().nullish(),
  bucket_endpoint_url: field.text(),
});

const chatWorkspace = source('CloudSlackDataSource', {
  chat_token: secret(),
  channel_ids: field.text(),
  channel_patterns: field.text(),
  earliest_date: field.text(),
  earliest_date_timestamp: field.number(),
  latest_date: field.text(),
  latest_date_timestamp: field.number(),
});

export const sourceComponents = {
  SOURCE_1_BLOB: blobContainer,
  SOURCE_2_FOLDERS: folderSharing,
  SOURCE_3_WIKI: wiki,
  SOURCE_4_DRIVE: cloudDrive,
  SOURCE_5_ISSUES: issueTracker,
  SOURCE_5_ISSUES_V2: issueTrackerV2,
  SOURCE_6_PERSONAL_DRIVE: personalDrive,
  SOURCE_7_SITE: teamSite,
  SOURCE_8_PAGE: notesPages,
  SOURCE_9_BUCKET: objectBucket,
  SOURCE_10_CHAT: chatWorkspace,
} satisfies Record<SourceType, z.ZodObject>;

export type SourceComponent<Type extends SourceType> = z.infer<(typeof sourceComponents)[Type]>;

/** As it comes in and goes out: `source_type` selects the shape, which `parseComponent` checks. */
export const sourceComponentInput = componentInput(sourceComponents);
