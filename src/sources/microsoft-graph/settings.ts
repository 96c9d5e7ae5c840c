import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';

export const graphFields = {
  client_id: z.string(),
  client_secret: secret(),
  tenant_id: z.string(),
  folder_id: field.text().describe('Folder to read with all of its subfolders. Defaults to the whole drive.'),
  folder_path: field
    .text()
    .describe(
      'Path of the folder from the root of the drive, instead of folder_id. If both are set, they must name the same folder.',
    ),
  required_exts: field
    .texts()
    .describe(
      'File extensions to read, with or without a dot, in upper or lower case. Defaults to all files.',
    ),
  supports_access_control: field.onlyTrue(),
};

export type GraphSettings = z.infer<z.ZodObject<typeof graphFields>>;
