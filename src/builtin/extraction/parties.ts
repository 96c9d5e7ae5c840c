import {
  findEmails,
  findIbans,
  findPhones,
  findUrls,
  findVatIds,
} from '#src/jobs/extract/values/patterns.ts';
import { squash, wordsOf } from '#src/lib/words.ts';
import { type Candidate, type Context, candidateOf, segmentsOf } from './candidates.ts';
import { looksLikeLabel } from './labels.ts';
import type { LayoutPage, Line, Segment } from './layout.ts';
import { PARTY_LABELS, type PartyRole } from './vocabulary/parties.ts';

/** Lines that stand together and name one party. */
export interface PartyBlock {
  role: PartyRole | undefined;
  lines: Segment[];
  /** 0..1: how sure the role is. */
  score: number;
}

const LEGAL_FORM =
  /(?<![\p{L}])(?:GmbH(?: ?& ?Co\.?(?: ?KG)?)?|mbH|AG|KG|KGaA|OHG|GbR|UG|e\.? ?K\.?|e\. ?V\.|a\. ?G\.|SE|Inc\.?|LLC|L\.L\.C\.|Ltd\.?|Limited|LLP|PLC|plc|Corp\.?|Corporation|Company|Co\.|B\.?V\.?|N\.?V\.?|V\.?O\.?F\.?|SARL|S\.A\.R\.L\.|SAS|S\.A\.S\.?|SASU|EURL|S\.A\.?|SA|S\.?r\.?l\.?|S\.?p\.?A\.?|S\.?L\.?|Sp\. ?z ?o\. ?o\.?|Sp\.? ?[jk]\.?|AB|A\/S|ApS|Oy|AS)(?![\p{L}])/u;
const NAME_WITH_FORM = new RegExp(
  `\\p{Lu}[\\p{L}\\p{N}&.'’+-]*(?:,? (?:[\\p{Lu}&\\d][\\p{L}\\p{N}&.'’+-]*|and|und|et|en|of|de|i|y|van|von|der|du|la|le)){0,6}?,? ${LEGAL_FORM.source}(?: \\p{Lu}\\p{Ll}+)?`,
  'gu',
);
/** A piece that begins with a name may spell its words in lower case. */
const NAME_AT_START = new RegExp(
  `^\\p{Lu}[^,;:@()\\d–|]{1,40}?,? ${LEGAL_FORM.source}(?=$| ?[-–·•●,|])`,
  'u',
);
const SALUTATION =
  /^(?:herrn?|frau|mr|mrs|ms|dr|mme|monsieur|madame|t\.?a\.?v|attn|att|z\.? ?hd|c\/o|de heer|mevrouw|familie|firma)\b\.?:?\s*/i;
const STREET =
  /^(?:\p{L}[\p{L}.'’ -]*(?:str(?:aße|asse|\.)?|straat|weg|laan|plein|gasse|platz|allee|ring|damm|ufer|road|rd|street|st|avenue|ave|lane|drive|blvd|boulevard)\.? \d[\p{L}\d/-]*(?:\s?-\s?\d+)?|\d+[\p{L}]?(?:[ ,-]+\d+)?,? \p{L}[\p{L}.'’-]*(?: \p{L}[\p{L}.'’-]*){0,5} ?|(?:ul\.|al\.|rue|avenue|chemin|via|calle) .{3,40}|\p{L}[\p{L}.'’ -]+ \d{1,4}(?: ?[-/] ?\d{1,4})?[a-zA-Z]?)$/iu;
const CITY_LINE =
  /^(?:[A-Z]{1,3}[- ])?(?<zip>\d{5}|\d{4} ?[A-Z]{2}|\d{4}|\d{2}-\d{3}) (?<city>\p{Lu}[\p{L}.'’() /-]+)(?:,? .*)?$/su;
const CITY_STATE_LINE =
  /^(?<city>\p{Lu}[\p{L}.'’ -]+?),? (?<state>[A-Z]{2}) (?<zip>\d{5}(?:-\d{4})?)(?:,? .*)?$/su;

export function cityLine(text: string): { city: string; zip: string } | undefined {
  const line = text.trim().replace(/[,;.]$/, '');
  const groups = (CITY_STATE_LINE.exec(line) ?? CITY_LINE.exec(line))?.groups;
  if (/\b(?:St|Street|Ave|Avenue|Rd|Road|Dr|Drive|Blvd|Lane|Ln|Way)\.?$/.test(line)) return undefined;
  return groups ? { city: groups.city!.trim(), zip: groups.zip! } : undefined;
}

export function isStreet(text: string): boolean {
  return /\d/.test(text) && STREET.test(text.trim()) && !cityLine(text);
}

/** Whether a line can be the name of a person or company. */
export function isName(text: string): boolean {
  const bare = text.replace(SALUTATION, '').trim();
  const words = wordsOf(bare);
  if (words.length === 0 || words.length > 8 || bare.length < 3 || /[:@?!]|https?:|www\./.test(bare))
    return false;
  if (!/\p{L}{2}/u.test(bare) || !/^[\p{Lu}\d„"]|^\p{Ll}+\p{Lu}/u.test(bare)) return false;
  if ((bare.match(/\d/g)?.length ?? 0) > 4 || /\d{5}/.test(bare) || isStreet(bare) || cityLine(bare))
    return false;
  return true;
}

export function withoutSalutation(text: string): { text: string; offset: number } {
  const offset = SALUTATION.exec(text)?.[0].length ?? 0;
  return { text: text.slice(offset).trim(), offset };
}

/** Names with a legal form such as GmbH or Inc. in running text. */
export function companyNames(segment: Segment): { text: string; start: number; end: number }[] {
  const opening = NAME_AT_START.exec(segment.text);
  const matches = opening ? [opening] : [...segment.text.matchAll(NAME_WITH_FORM)];
  return matches.map((match) => ({ text: match[0], start: match.index, end: match.index + match[0].length }));
}

export function findParties(context: Context): PartyBlock[] {
  const blocks = [...labelledBlocks(context), ...senderLines(context.pages), ...addressBlocks(context.pages)];
  const seen = new Set<Segment>();
  return blocks.filter((block) => {
    const fresh = block.lines.some((segment) => !seen.has(segment));
    for (const segment of block.lines) seen.add(segment);
    return fresh;
  });
}

function labelledBlocks(context: Context): PartyBlock[] {
  const out: PartyBlock[] = [];
  for (const role of ['seller', 'buyer'] as const) {
    for (const label of PARTY_LABELS[role]) {
      const hits = context.labels.find(
        { words: label.split(' '), weight: 1, inlineOnly: false },
        new Set([role]),
      );
      for (const hit of hits) {
        if (hit.score < 0.7 || !hit.closed) continue;
        const { segment } = hit;
        const lines = runBelow(segment);
        const inline = segment.text.slice(hit.end).replace(/^[\s:]+/, '');
        if (inline && isName(inline))
          lines.unshift(part(segment, segment.text.lastIndexOf(inline), inline.length));
        else if (inline) continue;
        const right = segment.page.lines[segment.line]!.segments[segment.index + 1];
        if (lines.length === 0 && right && isName(right.text)) lines.push(right, ...runBelow(right));
        if (lines.length > 0) out.push({ role, lines, score: hit.score });
      }
    }
  }
  return out.sort((left, right) => right.score - left.score);
}

/** Some of a segment's text as a segment of its own. */
function part(segment: Segment, from: number, length: number): Segment {
  const to = from + length;
  const words = segment.words
    .filter(({ start }) => start >= from && start < to)
    .map(({ start, word }) => ({ start: start - from, word }));
  const tokens = segment.tokens
    .filter(({ start }) => start >= from && start < to)
    .map((token) => ({ ...token, start: token.start - from, end: token.end - from }));
  return { ...segment, text: segment.text.slice(from, to), words, tokens };
}

/** The left-aligned lines right below a piece, without gaps, at most seven. */
function runBelow(segment: Segment): Segment[] {
  const out: Segment[] = [];
  const { page } = segment;
  let previous = segment;
  for (let index = segment.line + 1; index < page.lines.length && out.length < 7; index++) {
    const under = page.lines[index]!.segments.find((other) => Math.abs(other.box.x - segment.box.x) < 8);
    if (!under) continue;
    if (under.box.y - (previous.box.y + previous.box.h) > previous.box.h * 1.8) break;
    if (/:\s*$/.test(under.text)) break;
    out.push(under);
    previous = under;
  }
  return out.filter(
    (line) => out.length === 1 || !(looksLikeLabel(line) || /^[\p{L}. -]{2,25}\s*:\s/u.test(line.text)),
  );
}

const SEPARATOR = /(?<!\s)\s*[•|·●]\s*|(?<!\s)\s+[–-]\s+/;

/** "Acme GmbH • Main Street 1 • 12345 Town": the sender in one line above the window of an envelope, in pieces. */
function senderPieces(line: Line): Segment[] | undefined {
  if (!line.segments.some((segment) => SEPARATOR.test(segment.text))) return undefined;
  const pieces = line.segments.flatMap((segment) => {
    const texts = segment.text.split(SEPARATOR).filter((text) => /[\p{L}\p{N}]/u.test(text));
    return texts.map((text) => part(segment, segment.text.indexOf(text), text.length));
  });
  const at = pieces.findIndex((piece) => cityLine(piece.text));
  return at > 0 && isName(pieces[0]!.text) ? pieces.slice(0, at + 1) : undefined;
}

function senderLines(pages: LayoutPage[]): PartyBlock[] {
  return pages.slice(0, 1).flatMap((page) =>
    page.lines
      .filter((line) => line.y < page.height * 0.4)
      .flatMap((line) => {
        const lines = senderPieces(line);
        return lines ? [{ role: 'seller' as const, lines, score: 0.7 }] : [];
      }),
  );
}

/** Blocks without a label: the left-aligned lines around a line with postal code and city. */
function addressBlocks(pages: LayoutPage[]): PartyBlock[] {
  const out: PartyBlock[] = [];
  for (const page of pages.slice(0, 2)) {
    for (const line of page.lines) {
      for (const segment of line.segments) {
        if (!cityLine(segment.text)) continue;
        const above = runAbove(segment);
        if (above.length > 0)
          out.push({
            role: undefined,
            lines: [...above, segment, ...runBelow(segment).slice(0, 2)],
            score: 0.5,
          });
      }
    }
  }
  return out;
}

function runAbove(segment: Segment): Segment[] {
  const out: Segment[] = [];
  const { page } = segment;
  let previous = segment;
  for (let index = segment.line - 1; index >= 0 && out.length < 5; index--) {
    const line = page.lines[index]!;
    const over = line.segments.find((other) => Math.abs(other.box.x - segment.box.x) < 8);
    if (!over) continue;
    if (previous.box.y - (over.box.y + over.box.h) > previous.box.h * 2.2) break;
    if (/:\s*$|[@]|: /.test(over.text) || cityLine(over.text)) break;
    if (senderPieces(line)) break;
    out.unshift(over);
    previous = over;
  }
  return out;
}

export function nameOfBlock(block: PartyBlock): Candidate | undefined {
  for (const segment of block.lines.slice(0, 4)) {
    if (!isName(segment.text) || looksLikeLabel(segment)) continue;
    const { text, offset } = withoutSalutation(segment.text);
    if (text.length < 3) continue;
    return candidateOf(
      segment,
      { value: text, text, start: offset, end: offset + text.length, quality: 1 },
      block.score,
    );
  }
  return undefined;
}

/** How strongly a name belongs to the domains of the document's addresses, 0..1. */
export function domainMatch(name: string, domains: string[]): number {
  const words = wordsOf(name.replace(LEGAL_FORM, ''));
  const whole = words.join('');
  let best = 0;
  for (const domain of domains) {
    if (whole.length > 2 && (domain.startsWith(whole) || (domain.length > 3 && whole.includes(domain))))
      best = 1;
    else if (
      words.some(
        (word) => word.length > 3 && (domain.startsWith(word) || (words.length > 1 && domain.includes(word))),
      )
    )
      best = Math.max(best, 0.6);
    else if (words.length > 1 && domain === words.map((word) => word[0]).join('')) best = Math.max(best, 0.6);
  }
  return best;
}

const PUBLIC_MAIL = new Set([
  'gmail',
  'googlemail',
  'outlook',
  'hotmail',
  'yahoo',
  'gmx',
  'web',
  'icloud',
  'example',
  'localhost',
]);

/** The naming parts of the domains in e-mail and web addresses. */
export function domainsOf(context: Context): string[] {
  const out = new Set<string>();
  for (const segment of segmentsOf(context.pages)) {
    for (const { value } of [...findEmails(segment.text), ...findUrls(segment.text)]) {
      const name = domainOf(value);
      if (name && !PUBLIC_MAIL.has(name)) out.add(name);
    }
  }
  return [...out];
}

/** "shop@www.acme.example" and "https://acme.example/a" give acme. */
export function domainOf(address: string): string | undefined {
  const [host = ''] = address
    .replace(/^.*@/, '')
    .replace(/^https?:\/\//i, '')
    .split('/');
  const labels = host.toLowerCase().split('.').slice(0, -1);
  const name = labels.filter((label) => label !== 'www').at(-1);
  return name && squash(name);
}

/** Details that the sender of a document prints and its receiver seldom has. */
export function hasSenderDetails(segment: Segment): boolean {
  const { text } = segment;
  return (
    findIbans(text).length +
      findVatIds(text).length +
      findPhones(text).filter((phone) => phone.text.length > 8).length +
      findUrls(text).length >
    0
  );
}
