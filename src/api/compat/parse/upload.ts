import { z } from 'zod';
import { getIdempotencyKey } from '#src/api/v2/jobs.schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { collectWarnings, type Warning } from '#src/lib/schema/effect.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { uploadForm } from '#src/services/files/upload-form.ts';
import { createParseJob } from '#src/services/jobs/parse/parse-jobs.ts';
import { clientParse, toNewParseJob } from './bodies.ts';

export const clientUpload = z.object({
  file: z.string().meta({ format: 'binary' }),
  configuration: z
    .string()
    .optional()
    .describe('JSON with the parse options, as in the operation without an upload.'),
});

/** Receives a form's file as a stream and parses it with the form's configuration. */
export async function uploadAndParse(
  ctx: TenantContext,
  request: Request,
): Promise<{ job: ParseJob; warnings: Warning[] }> {
  const { file, fields } = await uploadForm(ctx, request, { fileParts: ['file', 'upload_file'] }, (form) => {
    if (!form.file) throw Invalid.field(['file'], 'Field required', 'missing');
    const given = parseJson(form.fields.configuration);
    const asked = parseInput(clientParse, given, ['body', 'configuration']);
    return { asked, warnings: collectWarnings(clientParse, given) };
  });
  const asked = { ...toNewParseJob(fields.asked), file_id: file!.id, url: null };
  const job = await createParseJob(ctx, asked, getIdempotencyKey(request), { overlay: true });
  return { job, warnings: fields.warnings };
}

function parseJson(text: string | undefined): unknown {
  if (!text) return {};
  try {
    return JSON.parse(text);
  } catch {
    throw Invalid.field(['configuration'], 'Input should be valid JSON', 'json_invalid');
  }
}
