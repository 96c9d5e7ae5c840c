import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const oneDrive = defineSourceSettings({
  kind: 'SOURCE_6_PERSONAL_DRIVE',
  fields: {
    client_id: z.string(),
    client_secret: secret(),
    tenant_id: z.string(),
    user_principal_name: z.string(),
    folder_id: field.text(),
    folder_path: field.text(),
    required_exts: field.texts(),
    supports_access_control: field.onlyTrue(),
  },
});
