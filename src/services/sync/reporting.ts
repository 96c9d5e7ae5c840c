import { sql } from 'drizzle-orm';
import { whereFile } from '#src/db/pipeline-members.ts';
import { derivedId } from '#src/lib/ids.ts';
import type { FileRequest } from '#src/parse/service.ts';
import type { OpenParser } from '#src/reading/service/open-parser.ts';
import type { Parsed } from '#src/services/jobs/pages.ts';
import { parseAndReport } from '#src/services/jobs/record-parse.ts';
import { listParseEndpoints } from '#src/webhook-protocol/parse-endpoints.ts';
import type { Work } from './work.ts';

/**
 * Parses a file before it is indexed, if the pipeline has webhook endpoints for parse events. Returns the
 * counters of the parse, or an empty object without such endpoints.
 */
export async function parseAhead(
  work: Work,
  fileId: string,
  request: FileRequest,
  parser: OpenParser['parser'],
): Promise<Record<string, number>> {
  if (listParseEndpoints(request.parameters).length === 0) return {};
  const start = performance.now();
  const counters = { cached_parses: 0, parse_ms: 0 };
  await reportParse(work, fileId, request, async () => {
    const { parsed, missing, cached } = await parser.parseFile(request, work.checkpoint);
    counters.cached_parses = Number(cached);
    counters.parse_ms = Math.round(performance.now() - start);
    return missing.length > 0 ? undefined : { key: request, pageCount: parsed.pageCount };
  });
  return counters;
}

/**
 * Runs `parse` and sends its result to the pipeline's webhook endpoints. Each file is reported once per sync
 * run.
 */
export async function reportParse(
  { ctx, pipeline, claim }: Work,
  fileId: string,
  { projectId, parameters }: FileRequest,
  parse: () => Promise<Parsed | undefined>,
): Promise<void> {
  const id = `pjb-${await derivedId('parse of pipeline file', pipeline.id, fileId, claim.jobId)}`;
  const isWanted = sql`exists (select 1 from pipeline_members where ${whereFile(pipeline.id, fileId)})`;
  const { asOriginal } = pipeline;
  const own = { id, projectId, userId: '', fileId, parameters };
  await parseAndReport({ ...ctx, asOriginal }, own, isWanted, parse);
}
