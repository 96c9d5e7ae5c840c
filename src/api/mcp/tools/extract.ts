import { z } from 'zod';
import { fileParameters, readFileInput } from '#src/api/mcp/file-input.ts';
import { answerExtract, extractAnswer, untilEnded, waitSeconds } from '#src/api/mcp/jobs.ts';
import { tool } from '#src/api/mcp/tool.ts';
import {
  createExtractJob,
  inlineConfiguration,
  newExtractJob,
} from '#src/services/jobs/extraction/extract-jobs.ts';

export const extract = tool({
  name: 'extract',
  title: 'Extract data from a file',
  description:
    'Extracts structured data from one file. Send a JSON Schema of type object as data_schema, whose fields have clear ' +
    'names and descriptions. Returns data that fits it, with the page and words where each field was found. Starts a ' +
    'job and waits for its end. If it takes longer, call get_job.',
  input: z
    .object(fileParameters(newExtractJob.shape.file_input.description!))
    .extend(
      inlineConfiguration.pick({
        data_schema: true,
        extraction_target: true,
        target_pages: true,
        max_pages: true,
        system_prompt: true,
      }).shape,
    )
    .extend({ wait_seconds: waitSeconds }),
  output: extractAnswer,
  needs: 'write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  async handle({ ctx, input, signal, fence, report }) {
    const { file_input: _, file_id: __, wait_seconds, ...asked } = input;
    const file_input = readFileInput(input);
    const configuration = { ...asked, cite_sources: true };
    const begun = await createExtractJob(ctx, { file_input, configuration }, null);
    return answerExtract(ctx, await untilEnded(ctx, 'extract', begun, wait_seconds, signal, report), fence);
  },
});
