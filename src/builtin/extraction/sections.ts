import type { Context } from './candidates.ts';
import type { Field } from './fields.ts';
import { type LabelHit, LabelIndex } from './labels.ts';
import type { LayoutPage } from './layout.ts';
import { Prose } from './prose/index.ts';

/** A label that begins a section names its field and little else. */
const SURE = 0.6;

/**
 * The document cut where the same label comes again: "Order number: 1 … Order number: 2 …" are two sections, each
 * about one thing. The label is that of the fields which comes first in the document among those that come at
 * least twice. Without such a label: nothing.
 */
export function sectionsOf(fields: Field[], context: Context): Context[] {
  const leads = fields.map((field) => startsOf(field, context)).filter((starts) => starts.length > 1);
  const [lead] = leads.sort((left, right) => before(left[0]!, right[0]!) || right.length - left.length);
  if (!lead) return [];
  return lead.map((start, index) => cut(context, start, lead[index + 1]));
}

interface Place {
  /** Position of the page among those read, and of the line in it. */
  page: number;
  line: number;
}

const before = (left: Place, right: Place) => left.page - right.page || left.line - right.line;

function startsOf(field: Field, context: Context): Place[] {
  const own = new Set([field.concept?.id, field.amount].filter((id) => id !== undefined));
  const places = new Map<string, Place>();
  for (const phrase of field.phrases) {
    for (const hit of context.labels.find(phrase, own)) {
      if (!isSure(hit)) continue;
      const place = { page: context.pages.indexOf(hit.segment.page), line: hit.segment.line };
      places.set(`${place.page}:${place.line}`, place);
    }
  }
  return [...places.values()].sort(before);
}

const isSure = (hit: LabelHit) => hit.closed && !hit.inlineOnly && hit.score >= SURE;

function cut({ pages, locale, prose, words, model }: Context, from: Place, to: Place | undefined): Context {
  const last = to ?? { page: pages.length, line: 0 };
  const inside = pages.flatMap((page, index) => {
    if (index < from.page || index > last.page) return [];
    const first = index === from.page ? from.line : 0;
    const end = index === last.page ? last.line : page.lines.length;
    return end > first ? [partOf(page, first, end)] : [];
  });
  // What a section is about stands at its labels: sentences belong to the document as a whole.
  return {
    pages: inside,
    labels: new LabelIndex(inside, words),
    words,
    locale,
    prose: new Prose([], prose.weight, words),
    parsed: [],
    model,
  };
}

/** Lines of a page as a page of their own: segments know their page and their line's place in it. */
function partOf(page: LayoutPage, from: number, to: number): LayoutPage {
  const part: LayoutPage = { ...page, lines: [] };
  part.lines = page.lines.slice(from, to).map((line, index) => ({
    ...line,
    segments: line.segments.map((segment) => ({ ...segment, page: part, line: index })),
  }));
  return part;
}
