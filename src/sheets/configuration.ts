import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { parseRange } from './cell-range.ts';

export const MERGE_SENSITIVITIES = ['strong', 'weak'] as const;

export const sheetsConfiguration = z.object({
  sheet_names: z
    .array(z.string().min(1).max(255))
    .max(255)
    .nullish()
    .describe('Only sheets with these names. Default: all sheets.'),
  extraction_range: z
    .string()
    .max(40)
    .refine((range) => parseRange(range) !== undefined, 'must be a range of cells such as A1:D20')
    .nullish()
    .describe(
      'Range of cells such as `A1:D20`. Each sheet then has one region, with the cells of this range.',
    ),
  include_hidden_cells: z
    .boolean()
    .nullish()
    .describe('Whether hidden sheets, rows and columns are read. Default: true.'),
  flatten_hierarchical_tables: z
    .boolean()
    .nullish()
    .describe('Whether several header rows become one, such as `2024 / Q1`. Default: false.'),
  generate_additional_metadata: z
    .boolean()
    .nullish()
    .describe('Whether regions and sheets have a title and a description. Default: true.'),
  table_merge_sensitivity: z
    .enum(MERGE_SENSITIVITIES)
    .nullish()
    .describe(
      '`weak` (default): empty rows and columns separate tables. `strong`: tables in the same columns that at ' +
        'most two empty rows separate are one table.',
    ),
  use_experimental_processing: withoutEffect(z.boolean().nullish(), (value) =>
    value ? 'Sluice has no experimental processing of spreadsheets.' : undefined,
  ),
});
export type SheetsConfiguration = z.infer<typeof sheetsConfiguration>;

/** Returns the configuration with default values for omitted fields and for fields that are null. */
export const applySheetsDefaults = (configuration: SheetsConfiguration) => ({
  sheet_names: configuration.sheet_names ?? null,
  extraction_range: configuration.extraction_range ?? null,
  include_hidden_cells: configuration.include_hidden_cells ?? true,
  flatten_hierarchical_tables: configuration.flatten_hierarchical_tables ?? false,
  generate_additional_metadata: configuration.generate_additional_metadata ?? true,
  table_merge_sensitivity: configuration.table_merge_sensitivity ?? ('weak' as const),
  use_experimental_processing: configuration.use_experimental_processing ?? false,
});
export type AppliedSheetsConfiguration = ReturnType<typeof applySheetsDefaults>;
