import {
  type Asked as AskedResult,
  EXPANSIONS,
  loadImagesMetadata,
  pagePieces,
} from '#src/api/v2/parse-results.ts';
import type { Box } from '#src/documents/document.ts';
import { type Pieces, valuePieces } from '#src/lib/json/json-pieces.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { type DownloadFormat, getDownloadMetadata } from '#src/services/jobs/parse/results/downloads.ts';
import { type ParseResult, readDocumentMetadata } from '#src/services/jobs/parse/results/open.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { CLIENT_PAGES } from './items.ts';

export interface RequestedResult extends AskedResult {
  /** Names of the pictures to list. If undefined, all pictures of the document are listed. */
  images: ReadonlySet<string> | undefined;
}

const pages =
  (form: keyof typeof CLIENT_PAGES) =>
  ({ result }: RequestedResult) =>
    pagePieces(result, CLIENT_PAGES[form]);

async function* metadata({ ctx, result }: RequestedResult): AsyncGenerator<string> {
  yield* pagePieces(result, CLIENT_PAGES.metadata, { document: await readDocumentMetadata(ctx, result) });
}

const jobMetadata = ({ job }: ParseResult) => ({
  job_pages: job.pageCount,
  attempt: job.attempt,
  configuration_id: job.configurationId,
  delivery: job.delivery,
});

/** Functions that write the parts of a completed parse job that a client can request, by name. */
const PARTS: Record<string, (asked: RequestedResult) => Pieces> = {
  markdown: pages('markdown'),
  text: pages('text'),
  items: pages('items'),
  metadata,
  markdown_full: EXPANSIONS.markdown_full,
  text_full: EXPANSIONS.text_full,
  structured: EXPANSIONS.structured,
  job_metadata: ({ result }) => valuePieces(async () => jobMetadata(result)),
  raw_parameters: ({ result }) =>
    valuePieces(async () => maskSecrets(parseParameters, result.job.configuration)),
  images_content_metadata: ({ ctx, origin, result, images }) =>
    valuePieces(async () => inWholePoints(await loadImagesMetadata(ctx, origin, result, images))),
};

/** Rounds the bounding boxes of pictures to whole points, because clients require integers. */
function inWholePoints({ images, total_count }: Awaited<ReturnType<typeof loadImagesMetadata>>) {
  const whole = images.map(({ bbox, ...image }) => ({ ...image, bbox: bbox && outerBox(bbox) }));
  return { images: whole, total_count };
}

/** Returns the smallest box with integer coordinates that contains the box. */
function outerBox({ x, y, w, h }: Box): Box {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return { x: left, y: top, w: Math.ceil(x + w) - left, h: Math.ceil(y + h) - top };
}

/**
 * Download format of each file that a client can request. The format is null if the service never produces
 * the file.
 */
const FILES: Record<string, DownloadFormat | null> = {
  markdown: 'markdown',
  text: 'text',
  items: 'json',
  xlsx: 'xlsx',
  metadata: null,
  forms: null,
  raw_words: null,
  output_pdf: 'pdf',
};
const SUFFIX = '_content_metadata';

const getFileName = (name: string) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '');
const isPart = (name: string) => Object.hasOwn(PARTS, name);
const isFile = (name: string) => Object.hasOwn(FILES, getFileName(name));

/** `usage` is returned for every job, so it is known although the tables above do not contain it. */
const isKnown = (name: string) => name === 'usage' || isPart(name) || isFile(name);

export const listUnknownWarnings = (names: readonly string[]): Warning[] =>
  names
    .filter((name) => !isKnown(name))
    .map((name) => ({
      field: 'expand',
      reason: `There is nothing called ${JSON.stringify(name.slice(0, 100))}.`,
    }));

export function expandResult(
  names: readonly string[],
  asked: RequestedResult,
): (readonly [string, Pieces])[] {
  const wanted = [...new Set(names)];
  const members = wanted.filter(isPart).map((name) => [name, PARTS[name]!(asked)] as const);
  const files = wanted.filter((name) => !isPart(name) && isFile(name)).map(getFileName);
  if (files.length === 0) return members;
  return [...members, ['result_content_metadata', valuePieces(() => loadFiles(files, asked))]];
}

async function loadFiles(names: string[], { ctx, origin, result }: RequestedResult) {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const format = FILES[name];
    found[name] = format
      ? await getDownloadMetadata(ctx, origin, result, format)
      : { size_bytes: 0, exists: false, presigned_url: null };
  }
  return found;
}
