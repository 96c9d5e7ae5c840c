import { z } from 'zod';
import { CLIENT_STATUSES, toClientStatus } from '#src/api/compat/shared/job-status.ts';
import { getIdempotencyKey } from '#src/api/v2/jobs.schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { getParsingWarnings } from '#src/reading/service/warnings.ts';
import { uploadForm } from '#src/services/files/upload-form.ts';
import { createParseJob } from '#src/services/jobs/parse/parse-jobs.ts';
import { readForm } from './form.ts';

/**
 * Maximum number of parts of a form. A form may contain a part for every parse parameter and further parts
 * for languages.
 */
const MAX_PARTS = 300;

export const parsingJob = z
  .object({
    id: z.string().describe('Id of the job: a UUID without a prefix.'),
    status: z.enum(CLIENT_STATUSES),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
  })
  .meta({ id: 'LegacyParsingJob' });

export function presentParsingJob({ id, status, errorMessage }: ParseJob): z.input<typeof parsingJob> {
  const [, code, message] = /^([A-Za-z_]{1,60}): (.*)$/s.exec(errorMessage ?? '') ?? [];
  return {
    id: bareId(id),
    status: toClientStatus[status],
    error_code: code ?? null,
    error_message: message ?? errorMessage,
  };
}

export const parsingForm = z.looseObject({
  file: z.string().meta({ format: 'binary' }).optional(),
  input_url: z.string().optional().describe('URL that is fetched and parsed instead of a file.'),
  target_pages: z.string().optional().describe('Page numbers and ranges, counted from 0, such as `0-2,6`.'),
});

/** Receives a form as a stream: a file or a URL, and parse parameters as texts. */
export async function parseUpload(
  ctx: TenantContext,
  request: Request,
): Promise<{ job: ParseJob; warnings: Warning[] }> {
  const options = { fileParts: ['file', 'upload_file'], parts: MAX_PARTS };
  const { file, fields } = await uploadForm(ctx, request, options, (form) => {
    const asked = readForm(form.values);
    if (!form.file && !asked.url)
      throw Invalid.field(['file'], 'Field required: file or input_url', 'missing');
    return asked;
  });
  const input = file ? { file_id: file.id } : { url: fields.url };
  const job = await createParseJob(
    ctx,
    { ...input, configuration: fields.parameters },
    getIdempotencyKey(request),
  );
  const readingWarnings = await getParsingWarnings(ctx, job.projectId, '', job.configuration);
  return { job, warnings: [...fields.warnings, ...readingWarnings] };
}
