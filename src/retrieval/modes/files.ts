import type { Filters } from '#src/ports/index-types.ts';
import type { RankedChunk, Report, RetrievalPorts } from '#src/retrieval/ports.ts';
import { rerankChunks } from '#src/retrieval/rerank-chunks.ts';
import type { RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { chooseFiles } from './choose-files.ts';
import { searchChunks } from './chunks.ts';
import { readWhole } from './whole-file.ts';

interface ChosenFile {
  documentId: string;
  score: number;
}

/** Mode `files_via_content`: the files of the best chunks, whole. A file counts as much as its best chunk. */
export async function filesViaContent(
  query: string,
  parameters: RetrievalParameters,
  filters: Filters | undefined,
  ports: RetrievalPorts,
  report: Report,
): Promise<RankedChunk[]> {
  let found = await searchChunks(query, parameters, filters, ports, report);
  if (parameters.enable_reranking && found.length > 0) {
    // All of them: the best few chunks may all be of one file.
    found = await report.timed('rerank', () => rerankChunks(query, found, found.length, ports, report));
  }
  const best = new Map<string, number>();
  for (const { chunk, score } of found) {
    if (!best.has(chunk.documentId)) best.set(chunk.documentId, score);
  }
  const chosen = [...best].map(([documentId, score]) => ({ documentId, score }));
  return wholeFiles(chosen.slice(0, parameters.files_top_k), ports, report);
}

/** Mode `files_via_metadata`: files chosen by what they are called and described as, whole. */
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
