import { z } from 'zod';
import { idempotencyKeyOf } from '#src/api/v2/jobs.schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { type Warning, warningsOf } from '#src/lib/schema/effect.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { uploadForm } from '#src/services/files/upload-form.ts';
import { createParseJob } from '#src/services/jobs/parse/parse-jobs.ts';
import { clientParse, parseAskedFor } from './bodies.ts';

export const clientUpload = z.object({
  file: z.string().meta({ format: 'binary' }),
  configuration: z.string().optional().describe('JSON: what the operation without a file takes.'),
});

/** Receives a form's file as a stream and parses it with the form's configuration. */
export async function uploadAndParse(
  ctx: TenantContext,
  request: Request,
): Promise<{ job: ParseJob; warnings: Warning[] }> {
  const { file, said } = await uploadForm(ctx, request, { fileParts: ['file', 'upload_file'] }, (form) => {
    if (!form.file) throw Invalid.field(['file'], 'Field required', 'missing');
    const given = jsonOf(form.fields.configuration);
    const asked = parseInput(clientParse, given, ['body', 'configuration']);
    return { asked, warnings: warningsOf(clientParse, given) };
  });
  const asked = { ...parseAskedFor(said.asked), file_id: file!.id, url: null };
  const job = await createParseJob(ctx, asked, idempotencyKeyOf(request), { overlay: true });
  return { job, warnings: said.warnings };
}

function jsonOf(text: string | undefined): unknown {
  if (!text) return {};
  try {
    return JSON.parse(text);
  } catch {
    throw Invalid.field(['configuration'], 'Input should be valid JSON', 'json_invalid');
  }
}
