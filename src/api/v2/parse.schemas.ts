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

/** Returns the schema of the pages of a parse result, where each page has the given fields. */
const buildPagesSchema = <Members extends z.ZodRawShape>(members: Members) =>
  z.object({
    pages: z.array(
      z.object({
        page_number: z.number().int().min(1),
        success: z.boolean(),
        error: z.string().optional().describe('Reason why the page could not be read.'),
        ...members,
      }),
    ),
  });

export const itemBody = z.object({
  type: z.enum(['heading', 'paragraph', 'list', 'table', 'figure', 'code', 'header', 'footer']),
  level: z.number().int().optional().describe('Level of a heading, from 1 to 6.'),
  value: z.string(),
  markdown: z.string(),
  rows: z
    .array(z.array(z.string()))
    .optional()
    .describe('Cells of a table by row, beginning with the header.'),
  box: boxBody.optional().describe('Bounding box in points from the upper left corner of the page.'),
  lines: z
    .array(z.object({ text: z.string(), box: boxBody }))
    .optional()
    .describe('Bounding boxes of lines. Present for a PDF with `line_level_bounding_box`.'),
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
        .describe(
          'Kind of the image: a page, a picture in the file, or a table or figure that was cut out of its page.',
        ),
      page_number: z.number().int().min(1),
      content_type: z.string(),
      presigned_url: z.string(),
      size_bytes: z.number().int().nullable().describe('Null for a page that was never drawn.'),
      bbox: boxBody.nullable(),
    }),
  ),
  total_count: z.number().int(),
});

/** Part of a page's Markdown that is doubtful, as a range in UTF-16 code units. */
const doubtedPart = z.object({ start: z.number(), end: z.number(), kind: z.string() });

const anything = z.record(z.string(), z.unknown()).nullable();

export const structuredBody = z
  .object({
    value: anything.describe('Value that fits the schema. Null if nothing could be extracted.'),
    field_metadata: anything.describe(
      'Citations and confidences with the structure of the value, as in extract jobs.',
    ),
    data_schema: anything.describe('Schema that was filled in.'),
    model: z.string().nullable().describe('Language model that extracted the value, or `builtin`.'),
    error: z.string().nullable().describe('Reason why there is no value.'),
  })
  .nullable()
  .describe('Structured result. Null if the parse parameters ask for none.');

/** Schemas of the parts of a completed parse job that a client can request with `expand`. */
export const expandable = {
  markdown: buildPagesSchema({ markdown: z.string() }),
  text: buildPagesSchema({ text: z.string() }),
  items: buildPagesSchema({ page_width: z.number(), page_height: z.number(), items: z.array(itemBody) }),
  metadata: buildPagesSchema({
    label: z.string(),
    read_by: z.object({
      mode: z.string().describe('Mode in which the page was read. `text` and `layout` use only the parser.'),
      model: z.string().nullable(),
      version: z.string().nullable().describe('Version of the prompts. Null if no model was used.'),
      reason: z.string(),
    }),
    parser_version: z.string().describe('Version of the parser that read the file.'),
    confidence: z
      .number()
      .nullable()
      .describe(
        'Confidence from 0 to 1: how well the page confirms the text of the model, or the confidence of the OCR engine. With the effort ' +
          '`high`, it includes how well an OCR engine agrees with the text layer.',
      ),
    unsupported: z
      .array(doubtedPart)
      .nullable()
      .describe('Ranges of the Markdown, with exclusive ends, that the page does not contain.'),
    misplaced: z
      .array(doubtedPart.extend({ printed: z.string() }))
      .nullable()
      .describe('Ranges whose text is elsewhere on the page, with the text that is printed in their place.'),
    read_from_pictures: z
      .array(doubtedPart)
      .nullable()
      .describe(
        'Ranges that a model read from charts and pictures. The text of the page neither confirms nor contradicts them.',
      ),
    missing: z
      .object({
        ...{ numbers: z.number(), dates: z.number(), identifiers: z.number() },
        ...{ names: z.number(), words: z.number() },
      })
      .nullable()
      .describe('Number of words of the page that the Markdown lacks.'),
    formulas: z
      .object({
        computed: z.number().int(),
        stored: z.number().int(),
        different: z.array(z.object({ cell: z.string(), stored: z.string(), computed: z.string() })),
        not_computed: z.array(z.object({ cell: z.string(), reason: z.string() })),
      })
      .nullable()
      .describe(
        'Formulas of a sheet: the number of computed and of stored results, the cells where both differ, and why ' +
          'formulas were not computed, with at most 100 cells each. Null if none was computed.',
      ),
    glyphs: z
      .object({
        drawn: z.number().int(),
        extracted: z.number().int(),
        without_unicode: z.number().int(),
      })
      .nullable()
      .describe(
        'Number of characters that a PDF page draws, with and without a Unicode value, without spaces. Null for other formats.',
      ),
  }).extend({
    document: z.record(z.string(), z.unknown()),
  }),
  omissions: z
    .array(
      z.object({
        kind: z.enum(OMISSION_KINDS),
        page_number: z
          .number()
          .int()
          .min(1)
          .nullable()
          .describe('Index of the page. Null if the part does not belong to a single page.'),
        message: z.string().describe('Message that says what is missing and why.'),
      }),
    )
    .describe(
      'Parts of the file that are missing from the result: pages that could not be read, characters without a Unicode ' +
        'value, pictures, embedded files and objects, hidden sheets, and failed members of archives and e-mails. ' +
        'Empty if nothing is known to be missing.',
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

/** Names that the parameter `expand` accepts. `usage` may be requested, although it is always returned. */
export const EXPANSION_NAMES = [...EXPANDABLE, 'usage'] as const;

export const parseJobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    status: z.enum(PARSE_STATUSES),
    name: z.string().nullish().describe('Name of the file that is read.'),
    file_id: z.string().nullish().describe('Id of the file. Also present for a fetched URL.'),
    url: z.string().nullish(),
    tier: z.string().nullish(),
    configuration: parseParameters,
    configuration_id: z.string().nullish(),
    user_metadata: z.record(z.string(), z.string()).nullish(),
    error_message: z.string().nullish(),
    page_count: z.number().int().nullish(),
    usage: usageBody.nullish().describe('Cost of the job. Null until the job has completed.'),
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
          .describe(
            'Reason why not all objects were written. The results are available from this service in any case.',
          ),
      })
      .nullish()
      .describe(
        'Objects that were written to the bucket of `output_bucket_path_prefix`. Null until the job has completed.',
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
    tier: getTier(row),
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

/** Returns the tier that the job requested, or null. All tiers are served by the same parser. */
export function getTier({ configuration }: ParseJob): string | null {
  return typeof configuration.tier === 'string' ? configuration.tier : null;
}
