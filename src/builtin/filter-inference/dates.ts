/** A day, month, quarter or year named in a query, as the ISO days it covers: [from, next). */
export interface DateMention {
  from: string;
  next: string;
  start: number;
  end: number;
}

const MONTHS =
  'jan(?:uary|uari|uar|vier|ner)?|enero|gennaio|janeiro|feb(?:ruary|ruari|ruar)?|février|febrero|febbraio|fevereiro|mar(?:ch|s|zo|ço)?|maart|märz|apr(?:il)?|avril|abril|aprile|may|mei|mai|mayo|maggio|maio|june?|juni|juin|junio|giugno|junho|july?|juli|juillet|julio|luglio|julho|aug(?:ust|ustus)?|août|agosto|sep(?:t|tember)?|septembre|septiembre|settembre|setembro|oct(?:ober)?|okt(?:ober)?|octobre|octubre|ottobre|outubro|nov(?:ember)?|novembre|noviembre|novembro|dec(?:ember)?|dez(?:ember)?|décembre|diciembre|dicembre|dezembro';

/** The first letters that tell the months of those languages apart. */
const STEMS: [RegExp, number][] = [
  [/^(jan|ene|gen)/, 1],
  [/^(feb|fév|fev)/, 2],
  [/^(mar|maa|mär)/, 3],
  [/^(apr|avr|abr)/, 4],
  [/^(may|mei|mai|mag)/, 5],
  [/^(jun|juin|giu)/, 6],
  [/^(jul|juil|lug)/, 7],
  [/^(aug|aoû|ago)/, 8],
  [/^(sep|set)/, 9],
  [/^(oct|okt|ott|out)/, 10],
  [/^nov/, 11],
  [/^(dec|dez|déc|dic)/, 12],
];

const PATTERNS: [RegExp, (match: string[], now: Date) => [from: string, next: string] | undefined][] = [
  [/(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g, ([, y, m, d]) => day(y, m, d)],
  [
    named(`(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+|de\\s+)?(${MONTHS})\\.?,?\\s+(?:de\\s+)?(\\d{4})`),
    ([, d, m, y]) => day(y, m, d),
  ],
  [named(`(${MONTHS})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})`), ([, m, d, y]) => day(y, m, d)],
  [named(`(${MONTHS})\\.?,?\\s+(?:of\\s+|de\\s+)?(\\d{4})`), ([, m, y]) => months(y, monthOf(m), 1)],
  [/(?<!\d)(\d{4})-(\d{2})(?![\d-])/g, ([, y, m]) => months(y, Number(m), 1)],
  [/(?<!\w)Q([1-4])[\s/-]*(\d{4})(?!\d)/gi, ([, q, y]) => months(y, Number(q) * 3 - 2, 3)],
  [
    /(?<!\d)(\d{4})年(\d{1,2})月(?:(\d{1,2})日)?/g,
    ([, y, m, d]) => (d ? day(y, m, d) : months(y, Number(m), 1)),
  ],
  [/(?<![\p{L}\d.,-])((?:19|20)\d{2})(?![\d-]|[.,]\d)/gu, ([, y]) => months(y, 1, 12)],
  [
    named('(last|previous) year|vorig jaar|l’année dernière|letztes jahr|el año pasado'),
    (_, now) => months(now.getUTCFullYear() - 1, 1, 12),
  ],
  [
    named('this year|dit jaar|cette année|dieses jahr|este año'),
    (_, now) => months(now.getUTCFullYear(), 1, 12),
  ],
  [
    named('today|vandaag|aujourd’hui|heute|hoy'),
    (_, now) => day(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()),
  ],
  [
    named('yesterday|gisteren|hier|gestern|ayer'),
    (_, now) => day(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate() - 1),
  ],
];

/** Every date a query names, in order, each stretch of it read once. `now` gives meaning to "last year". */
export function datesIn(query: string, now: Date): DateMention[] {
  const found: DateMention[] = [];
  for (const [pattern, read] of PATTERNS) {
    for (const match of query.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (found.some((other) => start < other.end && other.start < end)) continue;
      const days = read(match, now);
      if (days) found.push({ from: days[0], next: days[1], start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function named(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(?:${words})(?![\\p{L}\\d])`, 'giu');
}

type Part = string | number | undefined;

function monthOf(name: Part): number {
  const lower = String(name).toLowerCase();
  return STEMS.find(([stem]) => stem.test(lower))?.[1] ?? Number(lower);
}

function day(year: Part, month: Part, date: Part): [string, string] | undefined {
  const numbered = monthOf(month);
  return iso(
    Date.UTC(Number(year), numbered - 1, Number(date)),
    Date.UTC(Number(year), numbered - 1, Number(date) + 1),
  );
}

function months(year: Part, first: number, count: number): [string, string] | undefined {
  return iso(Date.UTC(Number(year), first - 1), Date.UTC(Number(year), first - 1 + count));
}

function iso(from: number, next: number): [string, string] | undefined {
  if (Number.isNaN(from) || Number.isNaN(next)) return undefined;
  return [new Date(from).toISOString().slice(0, 10), new Date(next).toISOString().slice(0, 10)];
}
