import { squash } from '#src/lib/text/words.ts';
import { type Context, segmentsOf, spanOf } from '../candidates.ts';
import type { Candidate } from '../evidence.ts';
import { looksLikeLabel } from '../labels.ts';
import type { LayoutPage, Segment } from '../layout.ts';
import type { AddressBlock } from './address.ts';
import { hasLegalForm, isName } from './names.ts';

/** Lines from the top in which a document says who made it. */
const HEAD = 8;

/** Numbers of branches and tills behind a name, and a bracket that the line cuts off. */
const TAIL = /(?<!\s)\s{0,3}(?:[-–(#] ?#? ?\d{2,12}\)?|# ?\d|\([^()]{1,80})$/;

/**
 * Reads who made the document: names among its first lines or over its first address. A legal form speaks for a
 * name, and so does its repetition in the text.
 */
export function letterheadNames(context: Context, addresses: AddressBlock[]): Candidate[] {
  const found = new Map<string, Candidate>();
  const all = [...segmentsOf(context.pages)].map((segment) => squash(segment.text));
  const note = (segment: Segment, letterhead: number) => {
    const text = segment.text
      .replace(TAIL, '')
      .trim()
      .replace(/[’'`´*]$/, '');
    const key = squash(text);
    if (key.length < 2) return;
    const places = key.length < 4 ? 1 : Math.min(4, all.filter((line) => line.includes(key)).length);
    const features = {
      letterhead: Math.min(1, letterhead),
      ...(hasLegalForm(text) && { name: 1 }),
      ...(places > 1 && { repeated: (places - 1) / 3 }),
    };
    const known = found.get(key);
    if (known && (known.features.letterhead ?? 0) >= features.letterhead) return;
    found.set(key, { value: text, spans: [spanOf(segment, 0, text.length)], features });
  };
  const [first] = context.pages;
  const owners = new Set(addresses[0]?.above.slice(-2));
  for (const { segment, rank } of first ? headOf(first) : []) {
    if (!isName(segment.text.replace(TAIL, '')) || looksLikeLabel(segment)) continue;
    const over = owners.has(segment) ? 0.25 : 0;
    note(segment, 0.9 - 0.1 * rank + over);
  }
  for (const segment of owners) {
    if (isName(segment.text) && !looksLikeLabel(segment)) note(segment, 0.55);
  }
  return [...found.values()];
}

/** The first lines of a page that hold words, each with its rank. */
function headOf(page: LayoutPage): { segment: Segment; rank: number }[] {
  const worded = page.lines.filter((line) =>
    line.segments.some(({ text }) => /\p{L}{2}|\p{L}&\p{L}/u.test(text)),
  );
  return worded
    .slice(0, HEAD)
    .filter((line) => !page.measured || line.y < page.height * 0.3)
    .flatMap((line, rank) => line.segments.map((segment) => ({ segment, rank })));
}
