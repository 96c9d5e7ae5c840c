import { z } from 'zod';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { refuseEmptyArea } from './checked.ts';
import { fields } from './parameters.ts';

const SEARCHED = 'Files of pipelines are read to be searched: parse and extract jobs give structured output.';
const BROUGHT = 'A bucket data source brings its files into a pipeline; a parse job fetches one object.';
const INDEXED = 'What a pipeline reads goes into its index; a parse job delivers its results.';

/** Those of a pipeline, whose files are there when they are parsed. */
export const pipelineParseParameters = z
  .object({
    ...fields,
    input_bucket_path: withoutEffect(
      fields.input_bucket_path.describe(
        'The bucket and the key of an object, as `bucket/key`, for parse jobs.',
      ),
      BROUGHT,
    ),
    priority: withoutEffect(
      fields.priority.describe('Whose turn it is among parse jobs.'),
      'Files of pipelines take turns in order of arrival; it is for parse jobs.',
    ),
    structured_output: withoutEffect(fields.structured_output.describe('For parse jobs.'), SEARCHED),
    structured_output_json_schema: withoutEffect(
      fields.structured_output_json_schema.describe('A JSON Schema, as JSON, for parse jobs.'),
      SEARCHED,
    ),
    structured_output_json_schema_name: withoutEffect(
      fields.structured_output_json_schema_name.describe('The name of a schema, for parse jobs.'),
      SEARCHED,
    ),
    input_url: withoutEffect(
      fields.input_url.describe('An http(s) URL, for parse jobs.'),
      'Files of a pipeline come in through the file operations; a parse job fetches it.',
    ),
    input_bucket_region: withoutEffect(
      fields.input_bucket_region.describe('The region of the bucket of `input_bucket_path`, for parse jobs.'),
      BROUGHT,
    ),
    output_bucket_path_prefix: withoutEffect(
      fields.output_bucket_path_prefix.describe('Where parse jobs put their results, as `bucket/prefix`.'),
      INDEXED,
    ),
    output_bucket_region: withoutEffect(
      fields.output_bucket_region.describe(
        'The region of the bucket of `output_bucket_path_prefix`, for parse jobs.',
      ),
      INDEXED,
    ),
    output_pdf_of_document: withoutEffect(
      fields.output_pdf_of_document.describe('For parse jobs: the document as a PDF.'),
      'A pipeline has its files as they came; a parse job gives the PDF out.',
    ),
  })
  .superRefine(refuseEmptyArea);
