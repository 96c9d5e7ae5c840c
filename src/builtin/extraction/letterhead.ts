import { squash } from '#src/lib/text/words.ts';
import type { AddressBlock } from './address.ts';
import { type Context, segmentsOf, spanOf } from './candidates.ts';
import type { Candidate } from './evidence.ts';
import { looksLikeLabel } from './labels.ts';
import type { LayoutPage, Segment } from './layout.ts';
import { companyNames, domainMatch, hasLegalForm, isName } from './names.ts';

/** Lines from the top in which a document says who made it. */
const HEAD = 8;

/** Numbers of branches and tills behind a name, and a bracket that the line cuts off. */
const TAIL = /(?<!\s)\s{0,3}(?:[-–(#] ?#? ?\d{2,12}\)?|# ?\d|\([^()]{1,80})$/;

/**
 * Who made the document: names among its first lines, in large type, over the first address, with a legal form,
 * repeated in its text or in the domains of its addresses.
 */
export function letterheadNames(context: Context, addresses: AddressBlock[], domains: string[]): Candidate[] {
  const found = new Map<string, Candidate>();
  const all = [...segmentsOf(context.pages)].map((segment) => squash(segment.text));
  const note = (segment: Segment, start: number, whole: string, letterhead: number) => {
    const text = whole
      .replace(TAIL, '')
      .trim()
      .replace(/[’'`´*]$/, '');
    const key = squash(text);
    if (key.length < 2) return;
    const places = key.length < 4 ? 1 : Math.min(4, all.filter((line) => line.includes(key)).length);
    const domain = domainMatch(text, domains);
    const features = {
      letterhead: Math.min(1, letterhead),
      ...(hasLegalForm(text) && { name: 1 }),
      ...((places > 1 || domain > 0) && { repeated: Math.max((places - 1) / 3, domain) }),
    };
    const known = found.get(key);
    if (known && (known.features.letterhead ?? 0) >= features.letterhead) return;
    found.set(key, { value: text, spans: [spanOf(segment, start, start + text.length)], features });
  };
  const [first] = context.pages;
  const owners = new Set(addresses[0]?.above.slice(-2));
  for (const { segment, rank } of first ? headOf(first) : []) {
    if (!isName(segment.text.replace(TAIL, '')) || looksLikeLabel(segment)) continue;
    const size = first!.measured && segment.box.h > 1.3 * usualHeight(first!) ? 0.3 : 0;
    const over = owners.has(segment) ? 0.25 : 0;
    note(segment, 0, segment.text, 0.9 - 0.1 * rank + size + over);
  }
  for (const segment of owners) {
    if (isName(segment.text) && !looksLikeLabel(segment)) note(segment, 0, segment.text, 0.55);
  }
  for (const segment of segmentsOf(context.pages.slice(0, 3))) {
    const { page, box } = segment;
    const atEdge = page.measured && (box.y < page.height * 0.2 || box.y > page.height * 0.82);
    for (const name of companyNames(segment)) note(segment, name.start, name.text, atEdge ? 0.4 : 0.2);
    if (isName(segment.text) && domainMatch(segment.text, domains) === 1) note(segment, 0, segment.text, 0.3);
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

function usualHeight(page: LayoutPage): number {
  const heights = page.lines.flatMap((line) => line.segments.map(({ box }) => box.h)).sort((a, b) => a - b);
  return heights[Math.floor(heights.length / 2)] ?? 0;
}
