import type { ChatAnswer } from '#src/chat/job.ts';
import type { Citation, Source } from '#src/chat/sources.ts';

/** What is kept with a message: a kind, and JSON. */
export interface Annotation {
  type: string;
  data: string;
}

/** A row holds 2 MB, most of which the answer itself may take: of sources so many characters are kept together. */
const TEXT_KEPT = 64_000;
const TITLE_KEPT = 300;
const BOXES_KEPT = 2_000;

/** What a session keeps with an answer: all that its stream told besides the text, and when it is not whole, why. */
export function annotationsOf({ status, sources, citations, metadata }: ChatAnswer): Annotation[] {
  const cited = new Set(citations.map(({ citation }) => citation));
  return [
    { type: 'sources', data: JSON.stringify({ nodes: nodesOf(sources, cited) }) },
    { type: 'citations', data: JSON.stringify({ citations: boundedBoxes(citations) }) },
    { type: 'metadata', data: JSON.stringify(metadata) },
    ...(status === 'complete' ? [] : [{ type: 'status', data: JSON.stringify({ status }) }]),
  ];
}

/** The texts of those that are cited come first to what can be kept. */
function nodesOf(sources: readonly Source[], cited: ReadonlySet<number>) {
  let left = TEXT_KEPT;
  const kept = new Map<Source, string>();
  const isCited = ({ providerMetadata: { sluice } }: Source) => cited.has(sluice.citation);
  for (const source of sources.toSorted((a, b) => Number(isCited(b)) - Number(isCited(a)))) {
    const text = source.providerMetadata.sluice.text.slice(0, left);
    left -= text.length;
    kept.set(source, text);
  }
  return sources.map((source) => {
    const { sluice } = source.providerMetadata;
    const text = kept.get(source)!;
    const isCut = text.length < sluice.text.length;
    return {
      id: source.sourceId,
      title: source.title.slice(0, TITLE_KEPT),
      ...sluice,
      text,
      ...(isCut && { text_cut: true }),
      cited: isCited(source),
    };
  });
}

/** A citation whose boxes find no room is kept with its pages. */
function boundedBoxes(citations: readonly Citation[]): Citation[] {
  let left = BOXES_KEPT;
  return citations.map((citation) => {
    const fits = citation.bounding_boxes.length <= left;
    if (fits) left -= citation.bounding_boxes.length;
    return fits ? citation : { ...citation, bounding_boxes: [] };
  });
}
