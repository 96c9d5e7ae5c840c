import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import { accessControlBesidesPermissions, connectionFields, expand } from './fields.ts';
import { checkJira, openJira } from './reader.ts';
import { type ApiVersion, type JiraSettings, parseExpansions } from './settings.ts';

interface Component extends Pick<JiraSettings, 'authentication_mechanism' | 'query'> {
  api_version: ApiVersion | null;
  expand?: string | null;
  fields?: string[] | null;
  get_permissions: boolean | null;
  requests_per_minute?: number | null;
}

const toSettings = (component: Component): JiraSettings => ({
  ...component,
  apiVersion: component.api_version ?? '2',
  fields: component.fields?.length ? component.fields : null,
  withChangelog: parseExpansions(component.expand ?? '').withChangelog,
  withPermissions: component.get_permissions !== false,
  requestsPerMinute: component.requests_per_minute ?? null,
});

/** Jira data source whose settings also select the fields to read, the API version and the request rate. */
export const jiraV2 = defineSource({
  kind: 'SOURCE_5_ISSUES_V2',
  title: 'Issue tracker, version 2',
  client: { word: 'JIRA_V2', className: 'CloudJiraDataSourceV2' },
  fields: {
    ...connectionFields,
    server_url: z.string(),
    api_version: z.enum(['2', '3']).nullable().default('2').describe('Version 3 returns rich documents.'),
    expand,
    fields: field.texts().describe('Ids of the fields to read. Defaults to all fields.'),
    get_permissions: field.flagOr(true).describe('Reads the permissions of issues.'),
    requests_per_minute: z.int().min(1).nullish(),
    supports_access_control: accessControlBesidesPermissions,
  },
  capabilities: { versionNamesContent: false, permissions: true, webUrls: true },
  open: (component, deps) => openJira(toSettings(component), deps),
  check: (component, deps) => checkJira(toSettings(component), deps),
});
