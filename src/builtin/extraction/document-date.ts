import { findDates, findTimes } from '#src/extraction/values/dates.ts';
import { type Context, listSegments, toSpan } from './candidates.ts';
import type { Candidate } from './evidence.ts';
import type { Field } from './fields.ts';
import type { Segment } from './layout.ts';

/**
 * Maximum number of words around the date of a document. A longer text is a sentence, unless it contains a
 * time of day.
 */
const MAX_WORDS = 3;

/**
 * Finds the date of the document itself if no label gives it: a date alone near the top, a repeated date or
 * the only date. Returns an empty array for fields whose name asks for another date, such as a due date.
 */
export function findDocumentDates(field: Field, context: Context): Candidate[] {
  const own = field.concept?.id === 'document_date';
  if (field.kind !== 'date' || (field.concept && !own)) return [];
  const places = new Map<string, { candidate: Candidate; count: number }>();
  let all = 0;
  for (const segment of listSegments(context.pages)) {
    for (const found of findDates(segment.text, context.locale.dateOrder)) {
      if (isInSentence(segment, found.text)) continue;
      all++;
      const known = places.get(found.value);
      if (known) known.count++;
      else {
        const spans = [toSpan(segment, found.start, found.end)];
        const meaning = (own ? 0.6 : 0.4) * (0.6 + 0.4 * getPosition(segment));
        const candidate = { value: found.value, spans, features: { meaning, type: found.quality } };
        places.set(found.value, { candidate, count: 1 });
      }
    }
  }
  return [...places.values()].map(({ candidate, count }) => ({
    ...candidate,
    features: { ...candidate.features, repeated: Math.min(1, (count - 1) / 2), alone: count / all },
  }));
}

function isInSentence({ text }: Segment, date: string): boolean {
  const words = text.replace(date, ' ').match(/\p{L}+/gu)?.length ?? 0;
  return words > MAX_WORDS && findTimes(text).length === 0;
}

/** Returns 1 at the top of the first page and 0 at its end. Returns 0 for later pages. */
function getPosition({ page, line, box }: Segment): number {
  if (page.index > 0) return 0;
  return 1 - (page.measured ? Math.min(1, box.y / page.height) : line / Math.max(1, page.lines.length));
}
