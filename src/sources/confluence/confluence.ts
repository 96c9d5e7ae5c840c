import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const confluence = defineSourceSettings({
  kind: 'SOURCE_3_WIKI',
  fields: {
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
  },
});
