import type { Context } from './candidates.ts';
import type { Field } from './fields.ts';
import { type LabelHit, LabelIndex } from './labels.ts';
import type { LayoutPage } from './layout.ts';
import { Prose } from './prose/index.ts';

/** Minimum match score, from 0 to 1, of a label that begins a section. */
const MIN_LABEL_SCORE = 0.6;

/**
 * Divides a document at a repeated label. For example, "Order number: 1 … Order number: 2 …" becomes two
 * sections. If the labels of several fields are repeated, the label that comes first in the document begins
 * the sections. Returns an empty list if no label is repeated.
 */
export function splitIntoSections(fields: Field[], context: Context): Context[] {
  const leads = fields
    .map((field) => findSectionStarts(field, context))
    .filter((starts) => starts.length > 1);
  const [lead] = leads.sort(
    (left, right) => comparePlaces(left[0]!, right[0]!) || right.length - left.length,
  );
  if (!lead) return [];
  return lead.map((start, index) => buildSectionContext(context, start, lead[index + 1]));
}

interface Place {
  /**
   * 0-based index of the page among the pages that were read. `line` is the 0-based index of the line on this
   * page.
   */
  page: number;
  line: number;
}

const comparePlaces = (left: Place, right: Place) => left.page - right.page || left.line - right.line;

function findSectionStarts(field: Field, context: Context): Place[] {
  const own = new Set([field.concept?.id, field.amount].filter((id) => id !== undefined));
  const places = new Map<string, Place>();
  for (const phrase of field.phrases) {
    for (const hit of context.labels.find(phrase, own)) {
      if (!isCertain(hit)) continue;
      const place = { page: context.pages.indexOf(hit.segment.page), line: hit.segment.line };
      places.set(`${place.page}:${place.line}`, place);
    }
  }
  return [...places.values()].sort(comparePlaces);
}

const isCertain = (hit: LabelHit) => hit.closed && !hit.inlineOnly && hit.score >= MIN_LABEL_SCORE;

function buildSectionContext(
  { pages, locale, prose, words, model }: Context,
  from: Place,
  to: Place | undefined,
): Context {
  const last = to ?? { page: pages.length, line: 0 };
  const inside = pages.flatMap((page, index) => {
    if (index < from.page || index > last.page) return [];
    const first = index === from.page ? from.line : 0;
    const end = index === last.page ? last.line : page.lines.length;
    return end > first ? [slicePage(page, first, end)] : [];
  });
  // Sections are read only by labels, because sentences usually refer to the whole document.
  return {
    pages: inside,
    labels: new LabelIndex(inside, words),
    words,
    locale,
    prose: new Prose([], prose.weight, words),
    parsedPages: [],
    model,
  };
}

/** Returns a range of a page's lines as a page of its own. */
function slicePage(page: LayoutPage, from: number, to: number): LayoutPage {
  const part: LayoutPage = { ...page, lines: [] };
  part.lines = page.lines.slice(from, to).map((line, index) => ({
    ...line,
    segments: line.segments.map((segment) => ({ ...segment, page: part, line: index })),
  }));
  return part;
}
