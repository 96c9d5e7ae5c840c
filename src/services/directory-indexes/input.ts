import { z } from 'zod';
import { SYNC_FREQUENCIES } from '#src/db/schema/index.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';

const PICTURES_ON_REQUEST =
  'Nothing is stored ahead of time. Images of pages are at /api/v1/files/{id}/page_screenshots/{page_index}, and items ' +
  'with their boxes are in the results of parse jobs.';

const ONLY_PARSED =
  "must be 'parse', because an index only parses files. To extract data, create a batch of extract jobs over the files " +
  'of the directory';

export const newDirectoryIndex = z.object({
  source_directory_id: z.string().min(1).max(200).describe('Id of the directory whose files are indexed.'),
  name: z
    .string()
    .min(1)
    .max(255)
    .nullish()
    .describe('Name of the index. Default: the name of the directory.'),
  description: z.string().max(10_000).nullish(),
  products: z
    .array(
      z.object({
        product_type: z
          .enum(['parse', 'extract'])
          .refine((type) => type === 'parse', ONLY_PARSED)
          .describe('Only `parse`.'),
        product_config_id: z.string().max(200).describe('Id of a saved parse configuration.'),
      }),
    )
    .max(1, 'must have at most one entry, because files are parsed once')
    .nullish()
    .describe('Parse configuration. By default, files are parsed with the default parameters of pipelines.'),
  store_attachments: withoutEffect(
    z
      .array(z.enum(['screenshots', 'items']))
      .max(10)
      .nullish(),
    PICTURES_ON_REQUEST,
  ),
  sync_frequency: z
    .enum(SYNC_FREQUENCIES)
    .nullish()
    .describe(
      'With `manual`, the index follows its directory when a sync is requested. With the other values, each change of ' +
        'the directory is indexed at once. Default: `manual`.',
    ),
  vector_target: withoutEffect(z.enum(['DEFAULT', 'DISABLED']).nullish(), (given) =>
    given === 'DISABLED'
      ? 'The index is built in any case. To parse files without an index, create a batch of parse jobs.'
      : undefined,
  ),
});
export type NewDirectoryIndex = z.output<typeof newDirectoryIndex>;
