import { presign } from '#src/bucket/presigned-url.ts';
import type { Context } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { iterateJoinedText } from '#src/ingest/join-pages.ts';
import { NotFound } from '#src/lib/errors.ts';
import { arrayPieces, objectPieces, type Pieces } from '#src/lib/json/json-pieces.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { type ParseResult, requireResult } from './open.ts';
import { mapPages, PAGE_VIEWS } from './pages.ts';
import { writeWorkbook } from './workbook.ts';

/** File format in which a result can be downloaded. */
interface Download {
  contentType: string;
  extension: string;
  bytes(result: ParseResult): AsyncIterable<Uint8Array>;
  /** Returns whether the result exists in this format. Formats without this function always exist. */
  exists?(result: ParseResult): Promise<boolean>;
}

const FORMATS = {
  markdown: {
    contentType: 'text/markdown; charset=utf-8',
    extension: 'md',
    bytes: (result) => encodePieces(joinPages(result, 'markdown')),
  },
  text: {
    contentType: 'text/plain; charset=utf-8',
    extension: 'txt',
    bytes: (result) => encodePieces(joinPages(result, 'text')),
  },
  json: {
    contentType: 'application/json',
    extension: 'json',
    bytes: (result) => encodePieces(renderPages(result)),
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    bytes: ({ pages }) => writeWorkbook(pages()),
  },
  pdf: {
    contentType: 'application/pdf',
    extension: 'pdf',
    bytes: ({ pdf }) => pdf(),
    exists: ({ hasPdf }) => hasPdf(),
  },
} satisfies Record<string, Download>;

export type DownloadFormat = keyof typeof FORMATS;
export const DOWNLOADS: Readonly<Record<DownloadFormat, Download>> = FORMATS;
export const DOWNLOAD_FORMATS = Object.keys(DOWNLOADS) as [DownloadFormat, ...DownloadFormat[]];

export const isDownloadFormat = (name: string): name is DownloadFormat => Object.hasOwn(DOWNLOADS, name);

/** Returns the text of all pages, joined. `separator` is used if the parameters define no page separator. */
export const joinPages = (
  { ranges, parameters }: ParseResult,
  form: 'markdown' | 'text',
  separator?: string,
): Pieces =>
  iterateJoinedText(ranges(), resolveParsePlan(parameters), {
    form,
    ...(separator !== undefined && { separator }),
  });

/** Renders one JSON object per page, which contains all views of the page. */
const renderPages = ({ job, pages, parameters }: ParseResult): Pieces =>
  objectPieces({ job_id: job.id }, [
    [
      'pages',
      arrayPieces(
        mapPages(pages(), (page) => ({
          ...PAGE_VIEWS.metadata(page, { job, parameters }),
          ...PAGE_VIEWS.text(page),
          ...PAGE_VIEWS.markdown(page),
          ...PAGE_VIEWS.items(page),
          links: page.links,
        })),
      ),
    ],
  ]);

async function* encodePieces(pieces: Pieces): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const piece of pieces) yield encoder.encode(piece);
}

/**
 * Returns the result of a job. Throws Conflict if the job has not completed, and NotFound if the result does
 * not exist in this format.
 */
export async function requireDownload(
  ctx: Context,
  job: ParseJob,
  format: DownloadFormat,
): Promise<ParseResult> {
  const result = await requireResult(ctx, job);
  const { exists } = DOWNLOADS[format];
  if (exists && !(await exists(result))) throw new NotFound(`Result as ${format} of parse job`, job.id);
  return result;
}

/**
 * Size and presigned URL of a result in one download format. The file is generated once to determine its
 * size.
 */
export interface DownloadMetadata {
  size_bytes: number;
  exists: boolean;
  /** Presigned URL of the download. Null if the result does not exist in this format. */
  presigned_url: string | null;
}

export async function getDownloadMetadata(
  ctx: Context,
  origin: string,
  result: ParseResult,
  format: DownloadFormat,
): Promise<DownloadMetadata> {
  const { bytes, exists } = DOWNLOADS[format];
  if (exists && !(await exists(result))) return { size_bytes: 0, exists: false, presigned_url: null };
  let size = 0;
  for await (const chunk of bytes(result)) size += chunk.byteLength;
  const path = `/presigned/parse/${result.job.id}/${format}`;
  const { url } = await presign(ctx.settings, origin, 'GET', path);
  return { size_bytes: size, exists: true, presigned_url: url };
}
