import { imagesMetadataOf } from '#src/api/v2/parse-results.ts';
import type { Context } from '#src/context/context.ts';
import type { Box } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import {
  arrayPieces,
  objectPieces,
  type Pieces,
  textPieces,
  valuePieces,
} from '#src/lib/json/json-pieces.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import {
  type DownloadFormat,
  downloadMetadata,
  wholeText,
} from '#src/services/parse-jobs/results/downloads.ts';
import { documentMetadata, type ParseResult } from '#src/services/parse-jobs/results/open.ts';
import { mapPages } from '#src/services/parse-jobs/results/pages.ts';
import { structuredOutputOf } from '#src/services/parse-jobs/structured-output.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { CLIENT_PAGES } from './items.ts';

export interface Asked {
  ctx: Context;
  origin: string;
  result: ParseResult;
  /** Pictures that are wanted; all without it. */
  images: ReadonlySet<string> | undefined;
}

const pages =
  (form: keyof typeof CLIENT_PAGES, head: object = {}) =>
  ({ result }: Asked) => {
    const told = (page: StoredPage) => CLIENT_PAGES[form](page, result.parameters);
    return objectPieces(head, [['pages', arrayPieces(mapPages<object>(result.pages(), told))]]);
  };

const metadata = async function* ({ ctx, result, ...asked }: Asked): AsyncGenerator<string> {
  const document = await documentMetadata(ctx, result);
  yield* pages('metadata', { document })({ ctx, result, ...asked });
};

const jobMetadata = ({ job }: ParseResult) => ({
  job_pages: job.pageCount,
  attempt: job.attempt,
  configuration_id: job.configurationId,
  delivery: job.delivery,
});

/** What may be asked of a completed job, as members of the answer. */
const MEMBERS: Record<string, (asked: Asked) => Pieces> = {
  markdown: pages('markdown'),
  text: pages('text'),
  items: pages('items'),
  metadata,
  markdown_full: ({ result }) => textPieces(wholeText(result, 'markdown')),
  text_full: ({ result }) => textPieces(wholeText(result, 'text')),
  structured: ({ ctx, result }) => valuePieces(() => structuredOutputOf(ctx, result)),
  job_metadata: ({ result }) => valuePieces(async () => jobMetadata(result)),
  raw_parameters: ({ result }) =>
    valuePieces(async () => maskSecrets(parseParameters, result.job.configuration)),
  images_content_metadata: ({ ctx, origin, result, images }) =>
    valuePieces(async () => inWholePoints(await imagesMetadataOf(ctx, origin, result, images))),
};

/** Clients read whole numbers in the box of a picture. */
function inWholePoints({ images, total_count }: Awaited<ReturnType<typeof imagesMetadataOf>>) {
  const whole = images.map(({ bbox, ...image }) => ({ ...image, bbox: bbox && outerBox(bbox) }));
  return { images: whole, total_count };
}

/** The smallest box in whole points that holds the box. */
function outerBox({ x, y, w, h }: Box): Box {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  return { x: left, y: top, w: Math.ceil(x + w) - left, h: Math.ceil(y + h) - top };
}

/** Results as files; null: there is never one. */
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

const fileNamed = (name: string) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '');
const isMember = (name: string) => Object.hasOwn(MEMBERS, name);
const isFile = (name: string) => Object.hasOwn(FILES, fileNamed(name));

/** Usage is told of every job. */
const isKnown = (name: string) => name === 'usage' || isMember(name) || isFile(name);

export const unknownExpansions = (names: readonly string[]): Warning[] =>
  names
    .filter((name) => !isKnown(name))
    .map((name) => ({
      field: 'expand',
      reason: `There is nothing called ${JSON.stringify(name.slice(0, 100))}.`,
    }));

export function expansions(names: readonly string[], asked: Asked): (readonly [string, Pieces])[] {
  const wanted = [...new Set(names)];
  const members = wanted.filter(isMember).map((name) => [name, MEMBERS[name]!(asked)] as const);
  const files = wanted.filter((name) => !isMember(name) && isFile(name)).map(fileNamed);
  if (files.length === 0) return members;
  return [...members, ['result_content_metadata', valuePieces(() => filesOf(files, asked))]];
}

async function filesOf(names: string[], { ctx, origin, result }: Asked) {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const format = FILES[name];
    found[name] = format
      ? await downloadMetadata(ctx, origin, result, format)
      : { size_bytes: 0, exists: false, presigned_url: null };
  }
  return found;
}
