import { flag, text } from './define.ts';

const DELIVERED = 'A pipeline writes what it reads into its index; a parse job delivers results.';

/** Parameters for the text around pages and running lines, and for the output of a job. */
export const outputParameters = {
  page_separator: text({
    default: 'a blank line',
    description: 'Text between pages. `{page_number}` is the 1-based number of the page that follows.',
  }),
  page_prefix: text({ description: 'Text before each page. `{page_number}` is its 1-based number.' }),
  page_suffix: text({ description: 'Text after each page. `{page_number}` is its 1-based number.' }),
  page_header_prefix: text({
    description: 'Text before each running header of a page. `{page_number}` is its 1-based number.',
  }),
  page_header_suffix: text({ description: 'Text after each running header of a page.' }),
  page_footer_prefix: text({
    description: 'Text before each running footer of a page. `{page_number}` is its 1-based number.',
  }),
  page_footer_suffix: text({ description: 'Text after each running footer of a page.' }),
  output_pdf_of_document: flag({
    effect: 'output',
    description:
      'The parse job also delivers the document as `pdf`, see [parse jobs](parse-jobs.md#downloads): the selected pages of a PDF unchanged, or a PDF with a text layer that is created from the parsed pages.',
    withoutEffectInPipelines: 'A pipeline keeps files as they were uploaded; a parse job delivers the PDF.',
  }),
  output_bucket_path_prefix: text({
    effect: 'output',
    description:
      'Where the parse job writes its results and saved pictures: `bucket/prefix`, with or without a scheme, in a bucket data source of the project, see [parse jobs](parse-jobs.md#delivery-to-a-bucket).',
    withoutEffectInPipelines: DELIVERED,
  }),
  output_bucket_region: text({
    effect: 'output',
    description: 'Region for which the first request to `output_bucket_path_prefix` is signed.',
    withoutEffect: (_named, { output_bucket_path_prefix }) =>
      output_bucket_path_prefix
        ? undefined
        : 'A region is given, but output_bucket_path_prefix names no bucket.',
    withoutEffectInPipelines: DELIVERED,
  }),
};
