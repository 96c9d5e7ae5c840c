/**
 * A day, month, quarter or year in a query, as a range of ISO dates. `from` is the first day, and `next` is
 * the day after the last one.
 */
export interface DateMention {
  from: string;
  next: string;
  start: number;
  end: number;
}

const MONTHS =
  'jan(?:uary|uari|uar|vier|ner)?|enero|gennaio|janeiro|feb(?:ruary|ruari|ruar)?|février|febrero|febbraio|fevereiro|mar(?:ch|s|zo|ço)?|maart|märz|apr(?:il)?|avril|abril|aprile|may|mei|mai|mayo|maggio|maio|june?|juni|juin|junio|giugno|junho|july?|juli|juillet|julio|luglio|julho|aug(?:ust|ustus)?|août|agosto|sep(?:t|tember)?|septembre|septiembre|settembre|setembro|oct(?:ober)?|okt(?:ober)?|octobre|octubre|ottobre|outubro|nov(?:ember)?|novembre|noviembre|novembro|dec(?:ember)?|dez(?:ember)?|décembre|diciembre|dicembre|dezembro';

/** First letters of month names by which the months are recognised in several languages. */
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
  [/(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g, ([, y, m, d]) => toDayRange(y, m, d)],
  [
    buildPhrasePattern(
      `(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+|de\\s+)?(${MONTHS})\\.?,?\\s+(?:de\\s+)?(\\d{4})`,
    ),
    ([, d, m, y]) => toDayRange(y, m, d),
  ],
  [
    buildPhrasePattern(`(${MONTHS})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})`),
    ([, m, d, y]) => toDayRange(y, m, d),
  ],
  [
    buildPhrasePattern(`(${MONTHS})\\.?,?\\s+(?:of\\s+|de\\s+)?(\\d{4})`),
    ([, m, y]) => toMonthRange(y, parseMonth(m), 1),
  ],
  [/(?<!\d)(\d{4})-(\d{2})(?![\d-])/g, ([, y, m]) => toMonthRange(y, Number(m), 1)],
  [/(?<!\w)Q([1-4])[\s/-]*(\d{4})(?!\d)/gi, ([, q, y]) => toMonthRange(y, Number(q) * 3 - 2, 3)],
  [
    /(?<!\d)(\d{4})年(\d{1,2})月(?:(\d{1,2})日)?/g,
    ([, y, m, d]) => (d ? toDayRange(y, m, d) : toMonthRange(y, Number(m), 1)),
  ],
  [/(?<![\p{L}\d.,-])((?:19|20)\d{2})(?![\d-]|[.,]\d)/gu, ([, y]) => toMonthRange(y, 1, 12)],
  [
    buildPhrasePattern('(last|previous) year|vorig jaar|l’année dernière|letztes jahr|el año pasado'),
    (_, now) => toMonthRange(now.getUTCFullYear() - 1, 1, 12),
  ],
  [
    buildPhrasePattern('this year|dit jaar|cette année|dieses jahr|este año'),
    (_, now) => toMonthRange(now.getUTCFullYear(), 1, 12),
  ],
  [
    buildPhrasePattern('today|vandaag|aujourd’hui|heute|hoy'),
    (_, now) => toDayRange(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()),
  ],
  [
    buildPhrasePattern('yesterday|gisteren|hier|gestern|ayer'),
    (_, now) => toDayRange(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate() - 1),
  ],
];

/**
 * Returns the dates that a query contains, in order and without overlaps. `now` resolves phrases such as
 * "last year".
 */
export function findDates(query: string, now: Date): DateMention[] {
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

function buildPhrasePattern(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(?:${words})(?![\\p{L}\\d])`, 'giu');
}

type Part = string | number | undefined;

function parseMonth(name: Part): number {
  const lower = String(name).toLowerCase();
  return STEMS.find(([stem]) => stem.test(lower))?.[1] ?? Number(lower);
}

function toDayRange(year: Part, month: Part, date: Part): [string, string] | undefined {
  const numbered = parseMonth(month);
  return toIsoRange(
    Date.UTC(Number(year), numbered - 1, Number(date)),
    Date.UTC(Number(year), numbered - 1, Number(date) + 1),
  );
}

function toMonthRange(year: Part, first: number, count: number): [string, string] | undefined {
  return toIsoRange(Date.UTC(Number(year), first - 1), Date.UTC(Number(year), first - 1 + count));
}

function toIsoRange(from: number, next: number): [string, string] | undefined {
  if (Number.isNaN(from) || Number.isNaN(next)) return undefined;
  return [new Date(from).toISOString().slice(0, 10), new Date(next).toISOString().slice(0, 10)];
}
