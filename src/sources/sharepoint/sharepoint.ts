import { z } from 'zod';
import { field, regexText } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const sharePoint = defineSourceSettings({
  kind: 'SOURCE_7_SITE',
  fields: {
    client_id: z.string(),
    client_secret: secret(),
    tenant_id: z.string(),
    drive_name: field.text(),
    exclude_path_patterns: z
      .array(regexText())
      .nullish()
      .describe('Against the full path with the file name.'),
    folder_id: field.text(),
    folder_path: field.text(),
    get_permissions: field.flagOr(true),
    include_path_patterns: z.array(regexText()).nullish().describe('The full path must match one of them.'),
    required_exts: field.texts(),
    site_id: field.text(),
    site_name: field.text(),
    supports_access_control: field.onlyTrue(),
  },
});
