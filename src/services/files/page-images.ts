import { and, eq } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { type FileRow, parses } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { ParsedFile } from '#src/documents/page-store.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import type { FileRequest } from '#src/parse/service.ts';

/**
 * Stands for the hash of the parse parameters where there are none. Screenshots do not depend on parse
 * parameters.
 */
const NO_CONFIGURATION = 'pictures';

/** File formats without pages. */
const PAGELESS: ReadonlySet<FileKind> = new Set(['json', 'xml', 'csv', 'tsv']);

export const isPageless = (kind: FileKind) => PAGELESS.has(kind);

/** File formats whose pages have a fixed layout. Pages of other formats are laid out from their text. */
const KINDS_WITH_LAYOUT: ReadonlySet<FileKind> = new Set(['pdf', 'png', 'jpeg', 'webp', 'tiff', 'gif']);

export const hasOwnLayout = (kind: FileKind) => KINDS_WITH_LAYOUT.has(kind);

/**
 * Maximum time in milliseconds that a list spends on rendering missing screenshots. The sizes of the others
 * stay unknown.
 */
const LIST_BUDGET_MS = 5_000;

export interface StoredImage {
  key: string;
  contentType: string;
  name: string;
}

export interface Screenshot {
  pageIndex: number;
  /** Size of the image in bytes. Undefined until the screenshot is rendered. */
  size: number | undefined;
  metadata: Record<string, unknown>;
}

/** Converts errors that the content of the file causes into request errors. */
export async function withFileErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new Invalid([{ loc: ['path', 'id'], msg: error.message, type: 'file_error' }]);
  }
}

export function buildParseRequest(file: FileRow): FileRequest {
  if (!file.contentHash || !file.storageKey) throw new NotFound('Content of file', file.id);
  return {
    projectId: file.projectId,
    contentHash: file.contentHash,
    configHash: NO_CONFIGURATION,
    storageKey: file.storageKey,
    name: file.name,
    size: file.fileSize ?? 0,
    parameters: parseParameters.parse({}),
  };
}

/** Returns the format and number of pages of a file. Files with equal content are inspected once. */
export async function inspectFile(
  ctx: Context,
  file: FileRow,
): Promise<{ kind: FileKind; pageCount: number }> {
  const request = buildParseRequest(file);
  const known = await ctx.db.query.parses.findFirst({
    where: and(
      eq(parses.projectId, file.projectId),
      eq(parses.contentHash, request.contentHash),
      eq(parses.configHash, NO_CONFIGURATION),
    ),
  });
  if (known) return { kind: known.kind as FileKind, pageCount: known.pageCount };
  const { kind, pageCount, metadata } = await readDescription(ctx, request);
  await ctx.db
    .insert(parses)
    .values({
      id: newId(),
      projectId: file.projectId,
      contentHash: request.contentHash,
      configHash: NO_CONFIGURATION,
      kind,
      pageCount,
      metadata,
      completedAt: new Date(),
    })
    .onConflictDoNothing();
  return { kind, pageCount };
}

/**
 * Returns the format and pages of a file. For a password-protected file, they come from an earlier parse with
 * the password.
 */
async function readDescription(ctx: Context, request: FileRequest): Promise<ParsedFile> {
  const unlocked = await ctx.bucket.get(keys.unlockedShape(request.projectId, request.contentHash));
  return unlocked ? unlocked.json<ParsedFile>() : ctx.parser.describe(request);
}

/**
 * Lists the screenshots of all pages in order. Missing screenshots are rendered until the time limit, and a
 * later call continues. Each screenshot can also be requested on its own.
 */
export function listScreenshots(
  ctx: Context,
  file: FileRow,
  budgetMs = LIST_BUDGET_MS,
): Promise<Screenshot[]> {
  return withFileErrors(() => drawAndList(ctx, file, budgetMs).catch(ignoreUnsupported));
}

async function drawAndList(ctx: Context, file: FileRow, budgetMs: number): Promise<Screenshot[]> {
  const { kind, pageCount } = await inspectFile(ctx, file);
  if (PAGELESS.has(kind)) return [];
  const pages = Array.from({ length: pageCount }, (_, pageIndex) => pageIndex);
  let known = await listStoredScreenshots(ctx.bucket, file);
  const missing = pages.filter((pageIndex) => !known.has(pageIndex));
  if (missing.length > 0 && budgetMs > 0) {
    await ctx.parser.drawPages(buildParseRequest(file), missing, budgetMs);
    known = await listStoredScreenshots(ctx.bucket, file);
  }
  return pages.map((pageIndex) => {
    const object = known.get(pageIndex);
    return { pageIndex, size: object?.size, metadata: describe(object) };
  });
}

/**
 * Handles an error of a listing. Returns an empty list if Sluice cannot read the file's format, and throws
 * other errors again.
 */
export function ignoreUnsupported(error: unknown): [] {
  if (error instanceof ParseError && error.reason === 'UNSUPPORTED_FILE_TYPE') return [];
  throw error;
}

async function listStoredScreenshots(bucket: R2Bucket, file: FileRow): Promise<Map<number, R2Object>> {
  const prefix = keys.screenshots(file.projectId, file.contentHash ?? '');
  const found = new Map<number, R2Object>();
  let cursor: string | undefined;
  do {
    // R2 returns metadata in listings only if `include` is set, which the type declarations lack.
    const options = { prefix, include: ['customMetadata', 'httpMetadata'], ...(cursor && { cursor }) };
    const page = await bucket.list(options as R2ListOptions);
    for (const object of page.objects) found.set(Number(object.key.slice(prefix.length)), object);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
  return found;
}

function describe(object: R2Object | undefined): Record<string, unknown> {
  if (!object) return { rendered: false };
  const { width, height, layout, missingGlyphs, truncated } = object.customMetadata ?? {};
  return {
    rendered: true,
    width: Number(width),
    height: Number(height),
    mime_type: object.httpMetadata?.contentType,
    ...(layout && { layout, missing_glyphs: Number(missingGlyphs), truncated: truncated === 'true' }),
  };
}

/**
 * Returns the screenshot of a page and renders it if necessary. Throws NotFound beyond the last page and for
 * formats without pages. With `width`, a smaller screenshot is returned if the page is wider. Its width in
 * pixels is the smallest of a few fixed widths that is at least `width`.
 */
export function getScreenshot(
  ctx: Context,
  file: FileRow,
  pageIndex: number,
  width?: number,
): Promise<StoredImage> {
  return withFileErrors(async () => {
    const full = await findScreenshot(ctx, file, pageIndex);
    const small = width === undefined ? undefined : await findSmaller(ctx, file, pageIndex, full, width);
    return toStoredImage(small ?? full, `page-${pageIndex}`);
  });
}

/**
 * Widths of small screenshots in pixels. There are only a few, so that nobody can fill the bucket by
 * requesting arbitrary widths.
 */
const SMALL_WIDTHS = [160, 320, 640, 1280];

async function findSmaller(
  ctx: Context,
  file: FileRow,
  pageIndex: number,
  full: R2Object,
  least: number,
): Promise<R2Object | undefined> {
  const width = SMALL_WIDTHS.find((each) => each >= least);
  const fullWidth = Number(full.customMetadata?.width);
  if (width === undefined || !(fullWidth > width)) return undefined;
  const { kind } = await inspectFile(ctx, file);
  // Image files have no small screenshots, so callers get the image itself.
  if (hasOwnLayout(kind) && kind !== 'pdf') return undefined;
  const request = buildParseRequest(file);
  const key = keys.smallScreenshot(file.projectId, request.contentHash, width, pageIndex);
  const stored = await ctx.bucket.head(key);
  if (stored) return stored;
  await ctx.parser.drawPage(request, pageIndex, { width, fullWidth });
  return (await ctx.bucket.head(key)) ?? undefined;
}

async function findScreenshot(ctx: Context, file: FileRow, pageIndex: number): Promise<R2Object> {
  const request = buildParseRequest(file);
  const key = keys.screenshot(file.projectId, request.contentHash, pageIndex);
  const stored = await ctx.bucket.head(key);
  if (stored) return stored;
  const { kind, pageCount } = await inspectFile(ctx, file);
  if (PAGELESS.has(kind) || pageIndex >= pageCount) {
    throw new NotFound(`Screenshot of page ${pageIndex} of file`, file.id);
  }
  await ctx.parser.drawPage(request, pageIndex);
  const drawn = await ctx.bucket.head(key);
  if (!drawn) throw new NotFound(`Screenshot of page ${pageIndex} of file`, file.id);
  return drawn;
}

export function toStoredImage(object: R2Object, name: string): StoredImage {
  const contentType = object.httpMetadata?.contentType ?? 'application/octet-stream';
  return { key: object.key, contentType, name };
}
