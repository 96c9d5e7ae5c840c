import { fileParameters, readFileInput } from '#src/api/mcp/file-input.ts';
import { answerClassify, classifyAnswer, untilEnded, waitSeconds } from '#src/api/mcp/jobs.ts';
import { tool } from '#src/api/mcp/tool.ts';
import { classifyConfiguration } from '#src/classification/configuration.ts';
import { createClassifyJob, newClassifyJob } from '#src/services/jobs/classification/classify-jobs.ts';

export const classify = tool({
  name: 'classify',
  title: 'Classify a file',
  description:
    'Classifies a document. Each rule is a type with a description of its documents, ' +
    'at least ten characters. Returns the type, or null if no rule fits, with confidence and reasoning. Starts a job and ' +
    'waits for its end. If it takes longer, call get_job.',
  input: classifyConfiguration.pick({ rules: true, parsing_configuration: true }).extend({
    ...fileParameters(newClassifyJob.shape.file_input.description!),
    wait_seconds: waitSeconds,
  }),
  output: classifyAnswer,
  needs: 'write',
  // `openWorldHint` is true, because the input may be a URL, which is downloaded.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async handle({ ctx, input, signal, fence, report }) {
    const { file_input: _, file_id: __, wait_seconds, ...configuration } = input;
    const file_input = readFileInput(input);
    const begun = await createClassifyJob(ctx, { file_input, configuration }, null);
    return answerClassify(await untilEnded(ctx, 'classify', begun, wait_seconds, signal, report), fence);
  },
});
