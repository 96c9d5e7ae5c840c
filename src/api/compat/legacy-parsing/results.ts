import { streamJson } from '#src/api/http/stream-pieces.ts';
import { imageResponse } from '#src/api/v1/files/page-images.ts';
import { downloadResponse } from '#src/api/v2/parse-results.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { arrayPieces, objectPieces, textPieces } from '#src/lib/json/json-pieces.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { getFigure } from '#src/services/files/figures.ts';
import { getScreenshot } from '#src/services/files/page-images.ts';
import { getJob } from '#src/services/jobs/jobs.ts';
import { isDownloadFormat, joinPages, requireDownload } from '#src/services/jobs/parse/results/downloads.ts';
import { getParseFacts } from '#src/services/jobs/parse/results/facts.ts';
import { getLayoutImage } from '#src/services/jobs/parse/results/images.ts';
import { findResultFile, type ParseResult, requireResult } from '#src/services/jobs/parse/results/open.ts';
import { mapPages } from '#src/services/jobs/parse/results/pages.ts';
import { readStructuredOutput, type StructuredOutput } from '#src/services/jobs/parse/structured-output.ts';
import { jobMetadata, parseScreenshotName, presentPage } from './json-pages.ts';

/** Separator between the pages in a text result. Clients split the text at this separator. */
const SEPARATOR = '\n---\n';

export async function getJobResult(ctx: TenantContext, id: string): Promise<ParseResult> {
  return requireResult(ctx, await getJob<ParseJob>(ctx, 'parse', id));
}

/**
 * Returns the result of a parse job in the form with the given name, such as `xlsx`. Throws if the form is
 * unknown.
 */
export async function createResultResponse(ctx: TenantContext, id: string, form: string): Promise<Response> {
  if (form === 'pdf') return createRawResponse(ctx, id, form);
  const result = await getJobResult(ctx, id);
  if (form === 'xlsx') return downloadResponse(ctx, result, form);
  const [facts] = await getParseFacts(ctx, [result.job]);
  const pages = wantedPages(result.pageCount, resolveParsePlan(result.parameters).pages).size;
  const head = { job_metadata: jobMetadata(result, pages, facts!.credits) };
  if (form === 'json') {
    const read = mapPages(result.pages(), (page) => presentPage(page, result.parameters));
    return streamJson(ctx, objectPieces(head, [['pages', arrayPieces(read)]]));
  }
  if (form === 'structured') {
    const { value, error } = await loadStructured(ctx, result);
    const job_metadata = { ...head.job_metadata, ...(error !== null && { structured_error: error }) };
    return Response.json({ structured: value, job_metadata });
  }
  if (form !== 'markdown' && form !== 'text') throw createFormError(form, id);
  const whole = textPieces(joinPages(result, form, SEPARATOR));
  return streamJson(ctx, objectPieces(head, [[form, whole]]));
}

/** Returns the result of a parse job as the bytes of a file in the given form. */
export async function createRawResponse(ctx: TenantContext, id: string, form: string): Promise<Response> {
  if (form === 'json') return createResultResponse(ctx, id, form);
  const job = await getJob<ParseJob>(ctx, 'parse', id);
  if (isDownloadFormat(form)) return downloadResponse(ctx, await requireDownload(ctx, job, form), form);
  const result = await requireResult(ctx, job);
  if (form === 'structured') return Response.json((await loadStructured(ctx, result)).value);
  throw createFormError(form, id);
}

/** Throws NotFound if the job requested no structured output. */
async function loadStructured(ctx: TenantContext, result: ParseResult): Promise<StructuredOutput> {
  const made = await readStructuredOutput(ctx, result);
  if (!made) throw createFormError('structured', result.job.id);
  return made;
}

const createFormError = (form: string, id: string) =>
  new NotFound(`A result in the form ${JSON.stringify(form.slice(0, 100))} of parse job`, id);

/** Returns the picture of a whole page, or one figure of a page. */
export async function createImageResponse(
  ctx: TenantContext,
  request: Request,
  id: string,
  name: string,
): Promise<Response> {
  const result = await getJobResult(ctx, id);
  const file = await findResultFile(ctx, result);
  const missing = new NotFound(`Picture ${JSON.stringify(name.slice(0, 100))} of parse job`, id);
  if (!file) throw missing;
  if (name.includes('_layout_')) return imageResponse(ctx, request, await getLayoutImage(result, name));
  const page = parseScreenshotName(name);
  if (page !== undefined) return imageResponse(ctx, request, await getScreenshot(ctx, file, page));
  for await (const { index, figures } of result.pages()) {
    if (!figures.some((figure) => figure.name === name)) continue;
    return imageResponse(ctx, request, await getFigure(ctx, file, index, name));
  }
  throw missing;
}
