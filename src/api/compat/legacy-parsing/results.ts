import { streamedJson } from '#src/api/http/stream-pieces.ts';
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
import { isDownloadFormat, requireDownload, wholeText } from '#src/services/jobs/parse/results/downloads.ts';
import { factsOfParses } from '#src/services/jobs/parse/results/facts.ts';
import { getLayoutImage } from '#src/services/jobs/parse/results/images.ts';
import { fileOfResult, type ParseResult, requireResult } from '#src/services/jobs/parse/results/open.ts';
import { mapPages } from '#src/services/jobs/parse/results/pages.ts';
import { type StructuredOutput, structuredOutputOf } from '#src/services/jobs/parse/structured-output.ts';
import { jobMetadata, legacyPage, pageOfScreenshot } from './json-pages.ts';

/** Separator between the pages of a text, at which clients split it. */
const SEPARATOR = '\n---\n';

export async function resultOfJob(ctx: TenantContext, id: string): Promise<ParseResult> {
  return requireResult(ctx, await getJob<ParseJob>(ctx, 'parse', id));
}

/** Returns the result in the named form. Throws if the form is unknown. */
export async function resultResponse(ctx: TenantContext, id: string, form: string): Promise<Response> {
  if (form === 'pdf') return rawResponse(ctx, id, form);
  const result = await resultOfJob(ctx, id);
  if (form === 'xlsx') return downloadResponse(ctx, result, form);
  const [facts] = await factsOfParses(ctx, [result.job]);
  const pages = wantedPages(result.pageCount, resolveParsePlan(result.parameters).pages).size;
  const head = { job_metadata: jobMetadata(result, pages, facts!.credits) };
  if (form === 'json') {
    const read = mapPages(result.pages(), (page) => legacyPage(page, result.parameters));
    return streamedJson(ctx, objectPieces(head, [['pages', arrayPieces(read)]]));
  }
  if (form === 'structured') {
    const { value, error } = await structuredOf(ctx, result);
    const job_metadata = { ...head.job_metadata, ...(error !== null && { structured_error: error }) };
    return Response.json({ structured: value, job_metadata });
  }
  if (form !== 'markdown' && form !== 'text') throw noSuchForm(form, id);
  const whole = textPieces(wholeText(result, form, SEPARATOR));
  return streamedJson(ctx, objectPieces(head, [[form, whole]]));
}

/** Returns the same result as plain bytes. */
export async function rawResponse(ctx: TenantContext, id: string, form: string): Promise<Response> {
  if (form === 'json') return resultResponse(ctx, id, form);
  const job = await getJob<ParseJob>(ctx, 'parse', id);
  if (isDownloadFormat(form)) return downloadResponse(ctx, await requireDownload(ctx, job, form), form);
  const result = await requireResult(ctx, job);
  if (form === 'structured') return Response.json((await structuredOf(ctx, result)).value);
  throw noSuchForm(form, id);
}

/** Throws NotFound if the job requested no structured output. */
async function structuredOf(ctx: TenantContext, result: ParseResult): Promise<StructuredOutput> {
  const made = await structuredOutputOf(ctx, result);
  if (!made) throw noSuchForm('structured', result.job.id);
  return made;
}

const noSuchForm = (form: string, id: string) =>
  new NotFound(`A result in the form ${JSON.stringify(form.slice(0, 100))} of parse job`, id);

/** Returns the picture of a page, or a figure of a parsed page. */
export async function imageOfResult(
  ctx: TenantContext,
  request: Request,
  id: string,
  name: string,
): Promise<Response> {
  const result = await resultOfJob(ctx, id);
  const file = await fileOfResult(ctx, result);
  const missing = new NotFound(`Picture ${JSON.stringify(name.slice(0, 100))} of parse job`, id);
  if (!file) throw missing;
  if (name.includes('_layout_')) return imageResponse(ctx, request, await getLayoutImage(result, name));
  const page = pageOfScreenshot(name);
  if (page !== undefined) return imageResponse(ctx, request, await getScreenshot(ctx, file, page));
  for await (const { index, figures } of result.pages()) {
    if (!figures.some((figure) => figure.name === name)) continue;
    return imageResponse(ctx, request, await getFigure(ctx, file, index, name));
  }
  throw missing;
}
