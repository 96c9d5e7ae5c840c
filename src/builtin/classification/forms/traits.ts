import type { ClassifyDocument } from '#src/classification/document.ts';
import { LAYOUT_PAGES } from '#src/classification/document.ts';
import { countWords } from '#src/lib/text/count-words.ts';
import { measureWidth } from '#src/lib/text/measure-width.ts';

/** Measurements of a document's lines and blocks that do not depend on its language. */
export interface Traits {
  wordCount: number;
  /** Median width of the lines in Latin letters. */
  lineWidth: number;
  /** Share of the text in code blocks, from 0 to 1. */
  codeShare: number;
  /** Share of the lines that end or begin with the punctuation of program code. */
  codeLines: number;
  /** Share of the lines that contain only times, or that begin with the time of a recording. */
  timedLines: number;
  /** Share of the lines that begin with the name of a speaker, such as "Ada: Good morning." */
  spokenLines: number;
  /** Number of header lines with a mail address at the beginning of the text, such as "To: ada@x.test". */
  mailHeads: number;
  /** Number of lines that end with an amount of money, and their share of the lines. */
  amountLines: number;
  amountShare: number;
  /** True if the last amounts are a total, a higher amount that was paid, and the change. */
  hasChange: boolean;
  /** Number of times of day, such as 12:45. */
  clockTimes: number;
  /** Number of lines with a period of years, such as "2019 - 2023" or "2019 – today". */
  periods: number;
  /** True if the beginning contains a mail address or a telephone number. */
  hasContact: boolean;
  /** Citations such as [12] or (Miller et al., 2019), per thousand words. */
  citations: number;
  /** Share of the lines that begin with the number of a clause. */
  clauses: number;
  /** Terms defined in quotes, such as (the "Seller"), per thousand words. */
  definitions: number;
  /** Share of the lines that are labels without a value, dotted or underlined fields, or boxes to tick. */
  blanks: number;
  /** Share of the lines that are short and begin with the number of a step. */
  steps: number;
  /** Share of the text in lines that are as long as a sentence. */
  proseShare: number;
  /** True if a heading near the beginning announces an abstract. */
  hasAbstract: boolean;
  /** Number of quotations of several words, and their number per thousand words. */
  quotations: number;
  quotationRate: number;
  /** Share of the lines of at most four words that end without punctuation. */
  shortLines: number;
  /** True if a line of the beginning greets the reader, such as "Dear Ms Miller,". */
  hasSalutation: boolean;
}

/** Lines and characters of a line that are measured. */
const MAX_LINES = 1_500;
const MAX_LINE_CHARACTERS = 300;
/** Widest line, in Latin letters, whose period of years is one of a list and not of a sentence. */
const MAX_PERIOD_WIDTH = 120;
/** Lines that count as the beginning of the text. */
const BEGINNING = 15;

const CODE_END =
  /[;{}]$|[({[]$|\) ?=>$|^(?:import|from|def|class|function|const|let|var|public|private|#include|SELECT|CREATE|return)\b.*[^.]$|^(?:\/\/|\/\*|#!|@\w+\()/;
const TIMED = /^[[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?[\])]?(?:\s|$)/;
const SPOKEN = /^([\p{Lu}\p{Lo}][\p{L}\p{N} .'’-]{0,30})(?::\s|：).*[.?!…。？！」]$/u;
const MAIL_HEAD = /^[\p{L} -]{2,20}(?::\s|：).*@[\w-]+\.\w/u;
const AMOUNT_END =
  /(?:^|[\s:：]|\p{Sc})-?(?:\d{1,3}(?:[.,' ]\d{3}){1,4}|\d{1,12})[.,]\d{2}(?:\s?(?:\p{Sc}|\p{L}{1,3}|[*%])){0,2}$/u;
/** Amounts of currencies that are printed without decimals, such as ¥1,280 or 1280円. */
const WHOLE_AMOUNT_END = /[¥￥₩] ?\d{1,3}(?:,?\d{3}){0,4}$|(?<![\d.,])\d{1,3}(?:,?\d{3}){0,4} ?[円元원]$/u;
/** Number of last amounts of a bill among which the payment is looked for. */
const LAST_AMOUNTS = 8;
const CLOCK = /(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d])/g;
const PERIOD =
  /(?:19|20)\d\d ?(?:[-–—] ?(?:\p{L}{4,12}|(?:\p{L}{3,9}\.? |\d{1,2}[./])?(?:19|20)\d\d)|\p{L}{1,5} (?:\p{L}{3,9}\.? )?(?:19|20)\d\d)(?!\p{L}|\d)|(?:19|20)\d\d年(?:\d{1,2}月)? ?[-–—~〜～至]/u;
const CONTACT = /[\w.]@[\w-]{1,60}\.\w|\d[\d ()./-]{7,16}\d/;
const CITATION = /\[\d{1,3}(?:[,–-] ?\d{1,3})*\]|\(\p{Lu}[^()]{2,60},? (?:19|20)\d\d[a-z]?\)/gu;
const CLAUSE =
  /^(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}[.)]|\([a-z]{1,4}\)|\(\d{1,2}\)|§+ ?\d+|\p{L}{3,10} [\dIVX]{1,4}[.:])\s|^第[\d一二三四五六七八九十百]{1,5}[条條章]/u;
const DEFINITION =
  /\([^()"“„«]{0,40}["“„«]\p{Lu}[\p{L} ]{2,40}["”“»]|[(（][^()（）"“「『]{0,20}["“「『]\p{Lo}{1,20}["”」』]/gu;
const BLANK = /[:：]\s*$|_{3,}|\.{5,}|[☐☑□☒]|\[ ?\]/u;
const STEP = /^\d{1,2}(?:[.)]\s+|[、．])\p{L}.{0,120}$/u;
const ABSTRACT =
  /^(?:\d\.? )?(?:abstract|zusammenfassung|résumé|resumen|riassunto|resumo|abstrakt|аннотация|摘要|要旨|초록)(?!\p{L}).{0,3}$/iu;
/** Width of a line, in Latin letters, that is as long as a sentence. */
const SENTENCE_WIDTH = 80;
/** Lines in which an abstract is announced. */
const ABSTRACT_LINES = 60;
const QUOTATION = /["“„«「『][^"“”„«»「」『』\n]{10,300}["”“»」』]/gu;
/** Smallest width, in Latin letters, of a quotation. Shorter texts in quotes are names and terms. */
const QUOTATION_WIDTH = 27;

/** Measures the lines of the text and the blocks of the first pages. */
export function measureTraits({ pages }: ClassifyDocument, text: string): Traits {
  const lines = listLines(text);
  const sample = lines.join('\n');
  const widths = lines.map(measureWidth);
  const words = countWords(sample);
  const all = Math.max(1, lines.length);
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const toRate = (found: number) => (found / Math.max(100, words)) * 1000;
  const perThousand = (pattern: RegExp) => toRate(sample.match(pattern)?.length ?? 0);
  const quotations = (sample.match(QUOTATION) ?? []).filter(
    (each) => measureWidth(each) >= QUOTATION_WIDTH,
  ).length;
  const amountLines = lines.filter(endsWithAmount).length;
  const first = lines.slice(0, BEGINNING);
  const blocks = pages.slice(0, LAYOUT_PAGES).flatMap((page) => page.blocks);
  const code = blocks.reduce((sum, block) => sum + (block.type === 'code' ? block.text.length : 0), 0);
  const measured = blocks.reduce((sum, block) => sum + block.text.length, 0);
  return {
    wordCount: words,
    lineWidth: widths.toSorted((a, b) => a - b)[lines.length >> 1] ?? 0,
    codeShare: code / Math.max(1, measured),
    codeLines: count(CODE_END) / all,
    timedLines: count(TIMED) / all,
    spokenLines: countSpokenLines(lines) / all,
    mailHeads: first.filter((line) => MAIL_HEAD.test(line)).length,
    amountLines,
    amountShare: amountLines / all,
    hasChange: hasChange(lines),
    clockTimes: sample.match(CLOCK)?.length ?? 0,
    periods: lines.filter((line, at) => widths[at]! < MAX_PERIOD_WIDTH && PERIOD.test(line)).length,
    hasContact: first.some((line) => CONTACT.test(line)),
    citations: perThousand(CITATION),
    clauses: count(CLAUSE) / all,
    definitions: perThousand(DEFINITION),
    blanks: count(BLANK) / all,
    steps: count(STEP) / all,
    proseShare:
      lines.reduce(
        (sum, line, at) => (widths[at]! >= SENTENCE_WIDTH && !line.includes('\t') ? sum + line.length : sum),
        0,
      ) / Math.max(1, sample.length),
    hasAbstract: lines.slice(0, ABSTRACT_LINES).some((line) => ABSTRACT.test(line)),
    quotations,
    quotationRate: toRate(quotations),
    shortLines:
      lines.filter((line) => !/[.,;:!?。，、；：！？]$/.test(line) && countWords(line) <= 4).length / all,
    hasSalutation: first.some(
      (line, at) => widths[at]! < 50 && /^\p{Lu}\p{L}+ \p{Lu}?[\p{L}. ]*[,!]$/u.test(line),
    ),
  };
}

const endsWithAmount = (line: string) => AMOUNT_END.test(line) || WHOLE_AMOUNT_END.test(line);

/**
 * Returns true if the last amounts show a payment in cash, in any language: an amount that was paid, directly followed by
 * the change, and before both their difference. Net, tax and gross amounts come in another order.
 */
function hasChange(lines: string[]): boolean {
  const amounts = lines
    .flatMap((line) => AMOUNT_END.exec(line)?.[0] ?? WHOLE_AMOUNT_END.exec(line)?.[0] ?? [])
    .slice(-LAST_AMOUNTS)
    .map((amount) => Number(amount.replace(/\D/g, '')));
  return amounts.some(
    (paid, at) =>
      at + 1 < amounts.length && paid > 0 && amounts.slice(0, at).includes(paid - amounts[at + 1]!),
  );
}

function listLines(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length && lines.length < MAX_LINES; ) {
    const end = text.indexOf('\n', at);
    const stop = end < 0 ? text.length : end;
    const line = text.slice(at, Math.min(stop, at + MAX_LINE_CHARACTERS)).trim();
    if (line !== '') lines.push(line);
    at = stop + 1;
  }
  return lines;
}

/** Counts the lines of speakers who speak at least twice. */
function countSpokenLines(lines: string[]): number {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const speaker = SPOKEN.exec(line)?.[1];
    if (speaker !== undefined) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  }
  return [...counts.values()].filter((count) => count > 1).reduce((sum, count) => sum + count, 0);
}
