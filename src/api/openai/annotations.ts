import type { UIMessageChunk } from 'ai';
import { findMarks } from '#src/chat/citations.ts';
import type { Source } from '#src/chat/sources.ts';
import type { Annotation } from './chat.schemas.ts';

/**
 * Maximum number of annotations in an answer. The limit is needed because a model may write nothing but
 * citation marks.
 */
const MAX_ANNOTATIONS = 1_000;

export function toSource(chunk: Extract<UIMessageChunk, { type: 'source-document' }>): Source {
  return chunk as unknown as Source;
}

/** Place of a citation mark in the text, and the source that it cites. `end` is exclusive. */
interface Cited {
  start: number;
  end: number;
  source: Source;
}

/** Lists the sources that citation marks in a text cite, in the order of the text. */
export function listCited(text: string, sources: readonly Source[]): Cited[] {
  const found: Cited[] = [];
  for (const { start, end, cited } of findMarks(text)) {
    for (const number of cited) {
      const source = sources[number - 1];
      if (!source) continue;
      if (found.length === MAX_ANNOTATIONS) return found;
      found.push({ start, end, source });
    }
  }
  return found;
}

/**
 * Returns one annotation for each source that a citation mark in the text cites. `origin` is the public
 * origin of this service.
 */
export function buildAnnotations(text: string, sources: readonly Source[], origin: string): Annotation[] {
  return listCited(text, sources).map(({ start, end, source }) => ({
    type: 'url_citation',
    url_citation: {
      start_index: start,
      end_index: end,
      url: buildLink(source, origin),
      title: getTitle(source),
    },
  }));
}

/** Returns the address of the document in its source system, otherwise that of the passage in the console. */
function buildLink({ providerMetadata: { sluice } }: Source, origin: string): string {
  if (sluice.web_url !== undefined) return sluice.web_url;
  const path = ['indexes', sluice.pipeline_id, 'files', sluice.file_id ?? sluice.document_id];
  const url = new URL(`/console/${path.map(encodeURIComponent).join('/')}`, origin);
  if (sluice.page_label !== null) url.searchParams.set('page', sluice.page_label);
  url.searchParams.set('node', sluice.node_id);
  return url.href;
}

export function getTitle({ title, providerMetadata: { sluice } }: Source): string {
  const named = sluice.member_path === undefined ? title : `${title}, ${sluice.member_path}`;
  return sluice.page_label === null ? named : `${named}, page ${sluice.page_label}`;
}
