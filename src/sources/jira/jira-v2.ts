import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const jiraV2 = defineSourceSettings({
  kind: 'SOURCE_5_ISSUES_V2',
  fields: {
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
  },
});
