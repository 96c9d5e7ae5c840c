import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const notion = defineSourceSettings({
  kind: 'SOURCE_8_PAGE',
  fields: {
    integration_token: secret(),
    database_ids: field.text(),
    page_ids: field.text(),
  },
});
