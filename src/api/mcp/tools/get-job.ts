import { answerJob, jobAnswer } from '#src/api/mcp/jobs.ts';
import { pageInput } from '#src/api/mcp/page.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { jobParams } from '#src/api/v2/jobs.schemas.ts';

export const getJob = tool({
  name: 'get_job',
  title: 'Read a job',
  description:
    'Returns the state of an extract, classify or parse job, and its result after it has ended. Long results of extract continue ' +
    'at page_token.',
  input: jobParams('ext')
    .extend({
      job_id: jobParams('ext').shape.job_id.describe('Id of the job with its prefix: ext-…, cls-… or pjb-….'),
    })
    .extend(pageInput.pick({ page_token: true }).shape),
  output: jobAnswer,
  needs: 'read',
  annotations: READS,
  handle: ({ ctx, input, fence }) => answerJob(ctx, input.job_id as string, fence, input.page_token),
});
