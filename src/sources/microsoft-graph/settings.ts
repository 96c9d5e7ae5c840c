import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';

/** Settings shared by the SharePoint and OneDrive sources. */
export const graphFields = {
  client_id: z.string(),
  client_secret: secret(),
  tenant_id: z.string(),
  folder_id: field.text().describe('With all that is below it; absent: the whole drive.'),
  folder_path: field
    .text()
    .describe('From the root of the drive, instead of folder_id; beside it, it has to be the same folder.'),
  required_exts: field.texts().describe('With or without a dot, in upper or lower case. Absent: all files.'),
  supports_access_control: field.onlyTrue(),
};

export type GraphSettings = z.infer<z.ZodObject<typeof graphFields>>;
