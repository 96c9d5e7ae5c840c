import { z } from 'zod';
import type { ParseJob } from '#src/db/schema/index.ts';
import { OMISSION_KINDS } from '#src/documents/document.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import type { ParseFacts } from '#src/services/jobs/parse/results/facts.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { attempt, jobTimes } from './jobs.schemas.ts';

export const PARSE_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

export const usageBody = z.object({ credits: z.number().nullish() });

export const boxBody = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });

/** Returns the schema of a result's pages, each with the given members. */
const pagesOf = <Members extends z.ZodRawShape>(members: Members) =>
  z.object({
    pages: z.array(
      z.object({
        page_number: z.number().int().min(1),
        success: z.boolean(),
        error: z.string().optional().describe('Why the page could not be read.'),
        ...members,
      }),
    ),
  });

const itemBody = z.object({
  type: z.enum(['heading', 'paragraph', 'list', 'table', 'figure', 'code', 'header', 'footer']),
  level: z.number().int().optional().describe('1 to 6, of headings.'),
  value: z.string(),
  markdown: z.string(),
  rows: z.array(z.array(z.string())).optional().describe('Cells of a table, its header first.'),
  box: boxBody.optional().describe('Points from the top left of the page.'),
  lines: z
    .array(z.object({ text: z.string(), box: boxBody }))
    .optional()
    .describe('Of a PDF, with `line_level_bounding_box`.'),
});

export const contentMetadata = z.object({
  size_bytes: z.number().int(),
  exists: z.boolean(),
  presigned_url: z.string().nullable(),
});

export const imagesMetadata = z.object({
  images: z.array(
    z.object({
      filename: z.string(),
      index: z.number().int(),
      category: z
        .enum(['screenshot', 'embedded', 'layout'])
        .describe('A page, a picture in the file, or a table or figure cut out of its page.'),
      page_number: z.number().int().min(1),
      content_type: z.string(),
      presigned_url: z.string(),
      size_bytes: z.number().int().nullable().describe('Null of a page that was never drawn.'),
      bbox: boxBody.nullable(),
    }),
  ),
  total_count: z.number().int(),
});

/** A range of a page's Markdown in UTF-16 code units. */
const doubtedPart = z.object({ start: z.number(), end: z.number(), kind: z.string() });

const anything = z.record(z.string(), z.unknown()).nullable();

export const structuredBody = z
  .object({
    value: anything.describe('By the schema; null where nothing could be extracted.'),
    field_metadata: anything.describe('Mirrors the value: citations and confidences, as of extract jobs.'),
    data_schema: anything.describe('What was filled in.'),
    model: z.string().nullable().describe('`builtin`, or the language model that extracted.'),
    error: z.string().nullable().describe('Why there is no value.'),
  })
  .nullable()
  .describe('Null where the parse parameters ask for none.');

/** Parts of a completed job that `expand` may request. */
export const expandable = {
  markdown: pagesOf({ markdown: z.string() }),
  text: pagesOf({ text: z.string() }),
  items: pagesOf({ page_width: z.number(), page_height: z.number(), items: z.array(itemBody) }),
  metadata: pagesOf({
    label: z.string(),
    read_by: z.object({
      mode: z.string().describe('`text` and `layout`: the parser alone.'),
      model: z.string().nullable(),
      version: z.string().nullable().describe('Of how models are asked; null where none was.'),
      reason: z.string(),
    }),
    parser_version: z.string().describe('The release of the parser that read: see its versions.'),
    confidence: z
      .number()
      .nullable()
      .describe(
        '0 to 1: how well the page bears out what a model wrote of it, or how sure the OCR engine is; with the effort ' +
          '`high` also how far an OCR engine agrees with a text layer.',
      ),
    unsupported: z
      .array(doubtedPart)
      .nullable()
      .describe('Parts of the Markdown, from and up to but not including, that the page does not say.'),
    misplaced: z
      .array(doubtedPart.extend({ printed: z.string() }))
      .nullable()
      .describe('Parts that the page has elsewhere, with what is printed in their place.'),
    read_from_pictures: z
      .array(doubtedPart)
      .nullable()
      .describe(
        'Parts that a model read off charts and pictures: the text of the page neither says nor contradicts them.',
      ),
    missing: z
      .object({
        ...{ numbers: z.number(), dates: z.number(), identifiers: z.number() },
        ...{ names: z.number(), words: z.number() },
      })
      .nullable()
      .describe('How much of the page the Markdown lacks, in occurrences.'),
    formulas: z
      .object({
        computed: z.number().int(),
        stored: z.number().int(),
        different: z.array(z.object({ cell: z.string(), stored: z.string(), computed: z.string() })),
        not_computed: z.array(z.object({ cell: z.string(), reason: z.string() })),
      })
      .nullable()
      .describe(
        'Of a sheet: how many formulas show a computed and how many the stored result, where the two differ, and why ' +
          'formulas were not computed; 100 cells each at most. Null where none was to be computed.',
      ),
    glyphs: z
      .object({
        drawn: z.number().int(),
        extracted: z.number().int(),
        without_unicode: z.number().int(),
      })
      .nullable()
      .describe(
        'Characters that a PDF page draws, those with a Unicode value and those without one; spaces do not count. Null in other formats.',
      ),
  }).extend({
    document: z.record(z.string(), z.unknown()),
  }),
  omissions: z
    .array(
      z.object({
        kind: z.enum(OMISSION_KINDS),
        page_number: z.number().int().min(1).nullable().describe('Null for a part of no single page.'),
        message: z.string().describe('Says what is missing and why.'),
      }),
    )
    .describe(
      'Parts of the file that are missing from the result: pages that could not be read, characters without a Unicode ' +
        'value, pictures, embedded files and objects, hidden sheets, and members of archives and mails that failed. ' +
        'Empty where nothing is known to be missing.',
    ),
  markdown_full: z.string(),
  text_full: z.string(),
  structured: structuredBody,
  markdown_content_metadata: contentMetadata,
  text_content_metadata: contentMetadata,
  json_content_metadata: contentMetadata,
  xlsx_content_metadata: contentMetadata,
  pdf_content_metadata: contentMetadata,
  images_content_metadata: imagesMetadata,
};

export type Expandable = keyof typeof expandable;

const EXPANDABLE = Object.keys(expandable) as Expandable[];

export const isExpandable = (name: string): name is Expandable => Object.hasOwn(expandable, name);

/** `usage` is always returned, and may be requested too. */
export const EXPANSION_NAMES = [...EXPANDABLE, 'usage'] as const;

export const parseJobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    status: z.enum(PARSE_STATUSES),
    name: z.string().nullish().describe('Of the file that is read.'),
    file_id: z.string().nullish().describe('Also of a fetched URL.'),
    url: z.string().nullish(),
    tier: z.string().nullish(),
    configuration: parseParameters,
    configuration_id: z.string().nullish(),
    user_metadata: z.record(z.string(), z.string()).nullish(),
    error_message: z.string().nullish(),
    page_count: z.number().int().nullish(),
    usage: usageBody.nullish().describe('What the job cost; null until it has completed.'),
    delivery: z
      .object({
        bucket: z.string(),
        prefix: z.string(),
        objects: z.array(
          z.object({ key: z.string(), size_bytes: z.number().int(), content_type: z.string() }),
        ),
        error: z
          .string()
          .nullable()
          .describe('Why not everything was written; the results are here all the same.'),
      })
      .nullish()
      .describe(
        'What was written into the bucket of `output_bucket_path_prefix`; null until the job has completed.',
      ),
    ...jobTimes,
    attempt,
    ...(z.object(expandable).partial().shape satisfies z.ZodRawShape),
  })
  .meta({ id: 'ParseJob' });

export type ParseJobBody = z.input<typeof parseJobBody>;

export function presentParseJob(row: ParseJob, { name, credits }: ParseFacts): ParseJobBody {
  return {
    id: row.id,
    project_id: row.projectId,
    status: row.status,
    name,
    file_id: row.fileId,
    url: row.documentInputType === 'url' ? row.fileInput : null,
    tier: tierOf(row),
    configuration: maskSecrets(parseParameters, row.configuration) as ParseJobBody['configuration'],
    configuration_id: row.configurationId,
    user_metadata: row.userMetadata,
    error_message: row.errorMessage,
    page_count: row.pageCount,
    usage: credits === null ? null : { credits },
    delivery: row.delivery,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    attempt: row.attempt,
  };
}

/** Returns the requested tier. One parser serves all tiers. */
export function tierOf({ configuration }: ParseJob): string | null {
  return typeof configuration.tier === 'string' ? configuration.tier : null;
}
