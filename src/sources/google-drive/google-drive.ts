import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineSourceSettings } from '#src/sources/define.ts';

export const googleDrive = defineSourceSettings({
  kind: 'SOURCE_4_DRIVE',
  fields: {
    folder_id: z.string(),
    folder_name: field.text().describe('For display.'),
    service_account_key: z.record(z.string(), secret()).nullish(),
  },
});
