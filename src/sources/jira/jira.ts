import { field } from '#src/lib/schema/component.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import { connectionFields } from './fields.ts';
import { checkJira, openJira } from './reader.ts';
import type { JiraSettings } from './settings.ts';

interface Component extends Pick<JiraSettings, 'authentication_mechanism' | 'query'> {
  supports_access_control: boolean | null;
}

const toSettings = (component: Component): JiraSettings => ({
  ...component,
  ...{ apiVersion: null, fields: null, withChangelog: false, requestsPerMinute: null },
  withPermissions: component.supports_access_control === true,
});

/** Data source for Jira issues with their comments and attachments. */
export const jira = defineSource({
  kind: 'SOURCE_5_ISSUES',
  title: 'Issue tracker',
  client: { word: 'JIRA', className: 'CloudJiraDataSource' },
  fields: {
    ...connectionFields,
    server_url: field.text(),
    supports_access_control: field.flagOr(false).describe('Reads the permissions of issues.'),
  },
  capabilities: { versionNamesContent: false, permissions: true, webUrls: true },
  open: (component, deps) => openJira(toSettings(component), deps),
  check: (component, deps) => checkJira(toSettings(component), deps),
});
