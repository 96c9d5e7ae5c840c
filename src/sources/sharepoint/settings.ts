import { z } from 'zod';
import { field, regexText } from '#src/lib/schema/component.ts';
import { graphFields } from '#src/sources/microsoft-graph/settings.ts';

export const sharePointFields = {
  ...graphFields,
  site_id: field.text(),
  site_name: field
    .text()
    .describe('Its name or path, instead of site_id; beside it, it has to be the same site.'),
  drive_name: field.text().describe('A document library of the site; absent: its default one.'),
  exclude_path_patterns: z.array(regexText()).nullish().describe('Against the full path with the file name.'),
  include_path_patterns: z.array(regexText()).nullish().describe('The full path must match one of them.'),
  get_permissions: field.flagOr(true),
};

export type SharePointSettings = z.infer<z.ZodObject<typeof sharePointFields>>;
