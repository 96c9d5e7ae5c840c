import type { Filters, StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import type { RankedChunk, Report, RetrievalPorts } from '#src/retrieval/ports.ts';
import { rerankChunks } from '#src/retrieval/rerank-chunks.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { chooseFiles } from './choose-files.ts';
import { searchChunks } from './chunks.ts';

const CHUNKS_PER_READ = 500;

/** Maximum number of characters of a returned file. Longer files are truncated. */
const MAX_FILE_CHARACTERS = 1_000_000;

/** Number of characters that are inspected at the end of one chunk and the beginning of the next. */
const INSPECTED_CHARACTERS = 300;

/**
 * Matches a line that must not be joined with the next one: a line of a table, list, quote, code, record or
 * heading.
 */
const BLOCK_LINE = /^\s*(?:[|#>*+-]|\d+[.)]\s)|[|;{}]\s*$|[^\d\s][,;]\S|\t/;

const SENTENCE_END = /[.!?…。]["'”’»)\]]*$/;

interface ChosenFile {
  documentId: string;
  score: number;
}

/**
 * Implements the mode `files_via_content`: returns the whole files of the best chunks. The score of a file is
 * the score of its best chunk.
 */
export async function retrieveFilesByContent(
  query: string,
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  let found = await searchChunks(query, parameters, filters, ports, report);
  if (parameters.enable_reranking && found.length > 0) {
    // All chunks are reranked, because the best chunks may belong to a single file.
    found = await report.timed('rerank', () => rerankChunks(query, found, found.length, ports, report));
  }
  const best = new Map<string, number>();
  for (const { chunk, score } of found) {
    if (!best.has(chunk.documentId)) best.set(chunk.documentId, score);
  }
  const chosen = [...best].map(([documentId, score]) => ({ documentId, score }));
  return readWholeFiles(chosen.slice(0, parameters.files_top_k), ports, report);
}

/** Implements the mode `files_via_metadata`: returns whole files chosen by name and metadata. */
export async function retrieveFilesByMetadata(
  query: string,
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  const most = parameters.files_top_k;
  const chosen = await report.timed('choose_files', () =>
    chooseFiles(query, { filters, most }, ports, report),
  );
  if (chosen.length > 0) return readWholeFiles(chosen, ports, report);
  report.notes.file_choice = 'no file name or metadata matches the query, so files were chosen by content';
  return retrieveFilesByContent(query, parameters, filters, ports, report);
}

async function readWholeFiles(
  chosen: ChosenFile[],
  { sink, isDisabled }: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  const read = await report.timed('read_files', () =>
    Promise.all(chosen.map(({ documentId }) => readWholeFile(sink, documentId, isDisabled))),
  );
  const cut: string[] = [];
  const files = read.flatMap((whole, index) => {
    if (!whole) return [];
    if (whole.isCut) cut.push(whole.chunk.title || whole.chunk.documentId);
    return [{ chunk: whole.chunk, score: chosen[index]!.score }];
  });
  if (cut.length > 0) report.notes.cut_files = `only the beginning of: ${cut.join(', ')}`;
  return files;
}

/**
 * Joins a document's chunks by their character ranges into one node with the whole text. Chunking only drops
 * white space between chunks, whose length is known. Returns `undefined` if the document has no chunks.
 */
export async function readWholeFile(
  sink: Sink,
  documentId: string,
  isDisabled: (chunk: StoredChunk) => boolean = () => false,
): Promise<{ chunk: StoredChunk; isCut: boolean } | undefined> {
  let whole: StoredChunk | undefined;
  let text = '';
  let end = 0;
  for (let from = 0; ; from += CHUNKS_PER_READ) {
    const chunks = await sink.listChunks(documentId, { from, limit: CHUNKS_PER_READ });
    for (const chunk of chunks) {
      if (isDisabled(chunk)) continue;
      whole ??= { ...chunk, id: documentId, position: 0, headings: [] };
      const gap = chunk.startChar - end;
      if (gap > 0 && text !== '') text += gap > 1 ? '\n\n' : chooseSeparator(text, chunk.text);
      text += gap < 0 ? chunk.text.slice(-gap) : chunk.text;
      end = Math.max(end, chunk.endChar);
      whole.endChar = end;
      if (chunk.endPage !== undefined) whole.endPage = Math.max(whole.endPage ?? 0, chunk.endPage);
      if (text.length > MAX_FILE_CHARACTERS) break;
    }
    if (chunks.length < CHUNKS_PER_READ || text.length > MAX_FILE_CHARACTERS) break;
  }
  if (!whole) return undefined;
  const { previousId: _, nextId: __, ...alone } = whole;
  const isTruncated = text.length > MAX_FILE_CHARACTERS;
  return {
    chunk: { ...alone, text: isTruncated ? text.slice(0, MAX_FILE_CHARACTERS) : text },
    isCut: isTruncated,
  };
}

/**
 * Returns the white space between two chunks. A line break in place of a space is harmless in prose, but a
 * space in place of a line break ruins tables and lists. A space is therefore used only within running text.
 */
function chooseSeparator(before: string, after: string): string {
  const last = before.slice(-INSPECTED_CHARACTERS).split('\n').at(-1)!;
  const first = after.slice(0, INSPECTED_CHARACTERS).split('\n', 1)[0]!;
  if (BLOCK_LINE.test(last) || BLOCK_LINE.test(first)) return '\n';
  const isContinued = SENTENCE_END.test(last) || (/[\p{L},]$/u.test(last) && /^\p{Ll}/u.test(first));
  return isContinued ? ' ' : '\n';
}
