import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const azureBlobStorage = defineSourceSettings({
  kind: 'SOURCE_1_BLOB',
  fields: {
    account_url: z.string(),
    container_name: z.string(),
    account_key: secret().nullish(),
    account_name: field.text(),
    blob: field.text(),
    client_id: field.text(),
    client_secret: secret().nullish(),
    prefix: field.text(),
    tenant_id: field.text(),
  },
});
