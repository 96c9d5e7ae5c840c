import { and, eq, inArray } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type FileRow, files, type Pipeline } from '#src/db/schema/index.ts';
import type { Figure } from '#src/documents/document.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { listFigures } from '#src/services/files/figures.ts';
import { getScreenshot } from '#src/services/files/page-images.ts';
import type { RankedChunk, Retrieval } from './index.ts';

/** Maximum number of pages for which pictures are returned, best first. */
const MAX_PAGES = 20;
/**
 * Time limit in milliseconds for drawing and reading pages. A note in the answer lists pages that were not
 * finished. They can be requested individually.
 */
const MAX_DURATION_MS = 10_000;

interface FilePage {
  file: FileRow;
  pageIndex: number;
  score: number;
}

export interface ScoredScreenshot {
  fileId: string;
  pageIndex: number;
  size: number;
  score: number;
}

export interface ScoredFigure {
  fileId: string;
  figure: Figure;
  score: number;
}

export interface Pictures {
  screenshots: ScoredScreenshot[];
  figures: ScoredFigure[];
  notes: Record<string, string>;
  latency: Record<string, number>;
}

/** Returns the requested screenshots and figures of the pages that the retrieved chunks touch. */
export async function findPictures(
  ctx: Context,
  pipeline: Pipeline,
  { chunks }: Retrieval,
  parameters: RetrievalParameters,
): Promise<Pictures> {
  const result: Pictures = { screenshots: [], figures: [], notes: {}, latency: {} };
  const { retrieve_page_screenshot_nodes: screenshots, retrieve_page_figure_nodes: figures } = parameters;
  if (!screenshots && !figures) return result;
  const pages = await listPages(ctx, pipeline, chunks);
  const collect = async (name: 'screenshots' | 'figures', work: (page: FilePage) => Promise<void>) => {
    const start = Date.now();
    const failures = new Set<string>();
    let done = 0;
    for (const page of pages.slice(0, MAX_PAGES)) {
      if (Date.now() - start > MAX_DURATION_MS) break;
      // A page whose picture fails must not fail the whole answer.
      await work(page).catch((error: unknown) => failures.add(getErrorMessage(error)));
      done += 1;
    }
    result.latency[name] = (Date.now() - start) / 1000;
    if (done < pages.length) result.notes[name] = `only of the best ${done} of ${pages.length} pages`;
    if (failures.size > 0) result.notes[`${name}_missing`] = [...failures].join('; ');
  };
  if (screenshots) {
    await collect('screenshots', async ({ file, pageIndex, score }) => {
      const { key } = await getScreenshot(ctx, file, pageIndex);
      const size = (await ctx.bucket.head(key))?.size ?? 0;
      result.screenshots.push({ fileId: file.id, pageIndex, size, score });
    });
  }
  if (figures) {
    await collect('figures', async ({ file, pageIndex, score }) => {
      for (const figure of await listFigures(ctx, file, pageIndex)) {
        result.figures.push({ fileId: file.id, figure, score });
      }
    });
  }
  return result;
}

/**
 * Returns each page once, best first, with the score of the best chunk that touches it. Documents that are
 * not files have no pages.
 */
async function listPages(ctx: Context, pipeline: Pipeline, chunks: RankedChunk[]): Promise<FilePage[]> {
  const ids = [...new Set(chunks.flatMap(({ chunk }) => (isFileChunk(chunk) ? [chunk.documentId] : [])))];
  if (ids.length === 0) return [];
  // Up to 200 chunks are retrieved, but a database query takes at most 100 parameters.
  const rows: FileRow[] = [];
  for (let from = 0; from < ids.length; from += 90) {
    const some = inArray(files.id, ids.slice(from, from + 90));
    const where = and(eq(files.projectId, pipeline.projectId), some);
    for (const row of await ctx.db.query.files.findMany({ where })) rows.push(row);
  }
  const byId = new Map(rows.map((row) => [row.id, row]));
  const pages = new Map<string, FilePage>();
  for (const { chunk, score } of chunks.toSorted((a, b) => b.score - a.score)) {
    const file = byId.get(chunk.documentId);
    if (!file || chunk.startPage === undefined) continue;
    for (let pageIndex = chunk.startPage; pageIndex <= (chunk.endPage ?? chunk.startPage); pageIndex += 1) {
      const name = `${file.id}/${pageIndex}`;
      if (!pages.has(name)) pages.set(name, { file, pageIndex, score });
    }
  }
  return [...pages.values()];
}

function isFileChunk({ documentId, metadata }: RankedChunk['chunk']): boolean {
  return metadata.file_id === documentId;
}
