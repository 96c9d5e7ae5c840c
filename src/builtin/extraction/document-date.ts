import { findDates, findTimes } from '#src/extraction/values/dates.ts';
import { type Context, segmentsOf, spanOf } from './candidates.ts';
import type { Candidate } from './evidence.ts';
import type { Field } from './fields.ts';
import type { Segment } from './layout.ts';

/** A date in more words than these is told of by a sentence, unless a time of day makes it a stamp. */
const MOST_WORDS = 3;

/**
 * The day of the document itself, where no label gives it: a date that stands by itself near the top, that is printed
 * again, or that is the only one. Fields that ask for another day by their name (due, birth, delivery) have none.
 */
export function documentDates(field: Field, context: Context): Candidate[] {
  const own = field.concept?.id === 'document_date';
  if (field.kind !== 'date' || (field.concept && !own)) return [];
  const places = new Map<string, { candidate: Candidate; count: number }>();
  let all = 0;
  for (const segment of segmentsOf(context.pages)) {
    for (const found of findDates(segment.text, context.locale.dateOrder)) {
      if (isTold(segment, found.text)) continue;
      all++;
      const known = places.get(found.value);
      if (known) known.count++;
      else {
        const position = positionOf(segment);
        const spans = [spanOf(segment, found.start, found.end)];
        const candidate = {
          value: found.value,
          spans,
          features: { meaning: own ? 0.6 : 0.4, type: found.quality, position },
        };
        places.set(found.value, { candidate, count: 1 });
      }
    }
  }
  return [...places.values()].map(({ candidate, count }) => ({
    ...candidate,
    features: { ...candidate.features, repeated: Math.min(1, (count - 1) / 2), alone: count / all },
  }));
}

function isTold({ text }: Segment, date: string): boolean {
  const words = text.replace(date, ' ').match(/\p{L}+/gu)?.length ?? 0;
  return words > MOST_WORDS && findTimes(text).length === 0;
}

/** 1 at the head of the first page, 0 at its foot and after it. */
function positionOf({ page, line, box }: Segment): number {
  if (page.index > 0) return 0;
  return 1 - (page.measured ? Math.min(1, box.y / page.height) : line / Math.max(1, page.lines.length));
}
