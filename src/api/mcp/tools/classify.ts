import { answerClassify, classifyAnswer, untilEnded, waitSeconds } from '#src/api/mcp/jobs.ts';
import { tool } from '#src/api/mcp/tool.ts';
import { classifyConfiguration } from '#src/classification/configuration.ts';
import { createClassifyJob, newClassifyJob } from '#src/services/jobs/classification/classify-jobs.ts';

/** The operation also accepts older names of this member; the tool accepts only one. */
const fileInput = newClassifyJob.shape.file_input;

export const classify = tool({
  name: 'classify',
  title: 'Classify a file',
  description:
    'Says which of some types a document is of. Each rule is a type and a description of the documents that are of it, ' +
    'at least ten characters. Gives the type, or null when no rule fits, with confidence and reasoning. Begins a job and ' +
    'waits for its end; one that takes longer is told by get_job.',
  input: classifyConfiguration.pick({ rules: true, parsing_configuration: true }).extend({
    file_input: fileInput.unwrap().unwrap().min(1).describe(fileInput.description!),
    wait_seconds: waitSeconds,
  }),
  output: classifyAnswer,
  // The input may be a URL, which is downloaded.
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async handle({ ctx, input, signal, fence }) {
    const { file_input, wait_seconds, ...configuration } = input;
    const begun = await createClassifyJob(ctx, { file_input, configuration }, null);
    return answerClassify(await untilEnded(ctx, 'classify', begun, wait_seconds, signal), fence);
  },
});
