import type { ChatAnswer } from '#src/chat/job.ts';
import type { Citation, Source } from '#src/chat/sources.ts';

export interface Annotation {
  type: string;
  data: string;
}

/**
 * Maximum number of characters of all source texts that are stored with an answer. A database row holds 2 MB,
 * and the answer itself may need most of them.
 */
const MAX_TEXT_CHARACTERS = 64_000;
const MAX_TITLE_CHARACTERS = 300;
const MAX_BOXES = 2_000;

/**
 * Builds the data that a session stores with an answer's text: sources, citations, metadata, and the status
 * of an incomplete answer.
 */
export function buildAnnotations({ status, sources, citations, metadata }: ChatAnswer): Annotation[] {
  const cited = new Set(citations.map(({ citation }) => citation));
  return [
    { type: 'sources', data: JSON.stringify({ nodes: toStoredNodes(sources, cited) }) },
    { type: 'citations', data: JSON.stringify({ citations: limitBoxes(citations) }) },
    { type: 'metadata', data: JSON.stringify(metadata) },
    ...(status === 'complete' ? [] : [{ type: 'status', data: JSON.stringify({ status }) }]),
  ];
}

/** Cited sources are stored first, because the total length of source texts is limited. */
function toStoredNodes(sources: readonly Source[], cited: ReadonlySet<number>) {
  let left = MAX_TEXT_CHARACTERS;
  const storedTexts = new Map<Source, string>();
  const isCited = ({ providerMetadata: { sluice } }: Source) => cited.has(sluice.citation);
  for (const source of sources.toSorted((a, b) => Number(isCited(b)) - Number(isCited(a)))) {
    const text = source.providerMetadata.sluice.text.slice(0, left);
    left -= text.length;
    storedTexts.set(source, text);
  }
  return sources.map((source) => {
    const { sluice } = source.providerMetadata;
    const text = storedTexts.get(source)!;
    const isCut = text.length < sluice.text.length;
    return {
      id: source.sourceId,
      title: source.title.slice(0, MAX_TITLE_CHARACTERS),
      ...sluice,
      text,
      ...(isCut && { text_cut: true }),
      cited: isCited(source),
    };
  });
}

/** If the boxes of a citation would exceed the total limit, the citation is stored without boxes. */
export function limitBoxes(citations: readonly Citation[]): Citation[] {
  let left = MAX_BOXES;
  return citations.map((citation) => {
    const { sentence_bounding_boxes: sentences = [], ...passage } = citation;
    const count = citation.bounding_boxes.length + sentences.length;
    if (count > left) return { ...passage, bounding_boxes: [] };
    left -= count;
    return citation;
  });
}
