import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const jira = defineSourceSettings({
  kind: 'SOURCE_5_ISSUES',
  fields: {
    authentication_mechanism: z.string(),
    query: z.string(),
    api_token: secret().nullish().describe('For basic, PAT and OAuth2.'),
    cloud_id: field.text().describe('For OAuth2.'),
    email: field.text(),
    server_url: field.text(),
  },
});
