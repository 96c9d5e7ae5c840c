import type { Filters, StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import type { RankedChunk, Report, RetrievalPorts } from '#src/retrieval/ports.ts';
import { rerankChunks } from '#src/retrieval/rerank-chunks.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { chooseFiles } from './choose-files.ts';
import { searchChunks } from './chunks.ts';

const CHUNKS_PER_READ = 500;

/** Maximum characters of a returned file. The rest is cut. */
const LONGEST_FILE = 1_000_000;

/** Number of characters at the end of a text that are inspected. */
const TAIL = 300;

/** Matches a line whose line break matters: of a table, list, quote, code, record or heading. */
const BLOCK_LINE = /^\s*(?:[|#>*+-]|\d+[.)]\s)|[|;{}]\s*$|[^\d\s][,;]\S|\t/;

const SENTENCE_END = /[.!?…。]["'”’»)\]]*$/;

interface ChosenFile {
  documentId: string;
  score: number;
}

/**
 * Mode `files_via_content`: returns the whole files of the best chunks. The score of a file is that of its
 * best chunk.
 */
export async function filesViaContent(
  query: string,
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  let found = await searchChunks(query, parameters, filters, ports, report);
  if (parameters.enable_reranking && found.length > 0) {
    // All chunks are reranked, because the best ones may belong to a single file.
    found = await report.timed('rerank', () => rerankChunks(query, found, found.length, ports, report));
  }
  const best = new Map<string, number>();
  for (const { chunk, score } of found) {
    if (!best.has(chunk.documentId)) best.set(chunk.documentId, score);
  }
  const chosen = [...best].map(([documentId, score]) => ({ documentId, score }));
  return wholeFiles(chosen.slice(0, parameters.files_top_k), ports, report);
}

/** Mode `files_via_metadata`: returns whole files chosen by name and metadata. */
export async function filesViaMetadata(
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
  if (chosen.length > 0) return wholeFiles(chosen, ports, report);
  report.notes.file_choice = 'no name or metadata answers to the query: chosen by content';
  return filesViaContent(query, parameters, filters, ports, report);
}

async function wholeFiles(
  chosen: ChosenFile[],
  { sink }: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  const read = await report.timed('read_files', () =>
    Promise.all(chosen.map(({ documentId }) => readWhole(sink, documentId))),
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
 * Joins a document's chunks by their character ranges into one node with the whole text. Chunking drops only
 * white space between two chunks, of which the length is known. Returns undefined if the document has no
 * chunks.
 */
export async function readWhole(
  sink: Sink,
  documentId: string,
): Promise<{ chunk: StoredChunk; isCut: boolean } | undefined> {
  let whole: StoredChunk | undefined;
  let text = '';
  let end = 0;
  for (let from = 0; ; from += CHUNKS_PER_READ) {
    const chunks = await sink.chunksOf(documentId, { from, limit: CHUNKS_PER_READ });
    for (const chunk of chunks) {
      whole ??= { ...chunk, id: documentId, position: 0, headings: [] };
      const gap = chunk.startChar - end;
      if (gap > 0 && text !== '') text += gap > 1 ? '\n\n' : between(text, chunk.text);
      text += gap < 0 ? chunk.text.slice(-gap) : chunk.text;
      end = Math.max(end, chunk.endChar);
      whole.endChar = end;
      if (chunk.endPage !== undefined) whole.endPage = Math.max(whole.endPage ?? 0, chunk.endPage);
      if (text.length > LONGEST_FILE) break;
    }
    if (chunks.length < CHUNKS_PER_READ || text.length > LONGEST_FILE) break;
  }
  if (!whole) return undefined;
  const { previousId: _, nextId: __, ...alone } = whole;
  const isCut = text.length > LONGEST_FILE;
  return { chunk: { ...alone, text: isCut ? text.slice(0, LONGEST_FILE) : text }, isCut };
}

/**
 * Returns the white space between two chunks. A line break in place of a space does no harm in prose, but a
 * space in place of a line break ruins tables and lists. So a space is used only within running text.
 */
function between(before: string, after: string): string {
  const last = before.slice(-TAIL).split('\n').at(-1)!;
  const first = after.slice(0, TAIL).split('\n', 1)[0]!;
  if (BLOCK_LINE.test(last) || BLOCK_LINE.test(first)) return '\n';
  const goesOn = SENTENCE_END.test(last) || (/[\p{L},]$/u.test(last) && /^\p{Ll}/u.test(first));
  return goesOn ? ' ' : '\n';
}
