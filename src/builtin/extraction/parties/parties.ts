import { squash, tokenize } from '#src/lib/text/words.ts';
import { type Context, listSegments, toSpan } from '../candidates.ts';
import { type Candidate, computeStrength } from '../evidence.ts';
import { looksLikeLabel } from '../labels.ts';
import { type LayoutPage, type Segment, sliceSegment } from '../layout.ts';
import { type AddressBlock, findAddresses } from './address.ts';
import { hasLegalForm, isLegalForm, isOnlyLegalForm } from './legal-forms.ts';
import { canBeName, stripSalutation } from './names.ts';
import { findSegmentAbove, findSegmentBelow } from './neighbours.ts';
import { findLabelRole, MIN_PARTY_LABEL_SCORE, type PartyRole } from './party-roles.ts';

/** Number of lines at the top of a document that are searched for the issuer's name. */
const HEAD_LINES = 8;

/** Matches what may follow a party's name on its line: a branch or till number, or a bracket. */
const TAIL = /(?<!\s)\s{0,3}(?:[-–(#] ?#? ?\d{2,12}\)?|# ?\d|\([^()]{1,80}\)?| \d{5,12}(?:-\p{Lu})?)$/u;

/** Issuer and recipient of the document, with the blocks of text that name them. Read once per extraction. */
export interface Parties {
  names: Record<PartyRole, Candidate[]>;
  blocks: Record<PartyRole, PartyBlock[]>;
}

/** Adjacent lines that name a party, with its address if they contain one. */
export interface PartyBlock {
  lines: Segment[];
  address?: AddressBlock;
  /** Certainty that the block belongs to this party, from 0 to 1. */
  certainty: number;
}

type OpenBlock = PartyBlock & { role: PartyRole | undefined };

export function readParties(context: Context): Parties {
  const addresses = context.pages.slice(0, 2).flatMap(findAddresses);
  const blocks = [...findLabelledBlocks(context, addresses), ...addresses.map(buildBlock)];
  const labelled = (role: PartyRole) => blocks.filter((block) => block.role === role);
  const recipients = labelled('recipient');
  const others = new Set(
    recipients.flatMap((block) => findBlockName(block) ?? []).map(({ value }) => squash(String(value))),
  );
  const issuers = [
    ...labelled('issuer').flatMap((block) => findBlockName(block) ?? []),
    ...findLetterheadNames(context, addresses),
  ].filter(({ value }) => !others.has(squash(String(value))));
  const best = findMostLikelyIssuer(issuers);
  const known = best && squash(String(best.value));
  const open = blocks.filter(
    ({ role, lines }) => !role && !containsAddress(lines, [...labelled('issuer'), ...recipients]),
  );
  const isIssuers = (block: OpenBlock, at: number) =>
    block.lines.some((line) => known && squash(line.text).includes(known)) ||
    isFooter(block) ||
    (at === 0 && !context.pages[0]?.measured);
  const own = open.filter(isIssuers);
  const rest = open.filter((block) => !own.includes(block) && isUpperHalf(block.lines[0]!));
  const receivers = recipients.length > 0 ? recipients : rest.map((block) => ({ ...block, certainty: 0.55 }));
  return {
    names: { issuer: issuers, recipient: receivers.flatMap((block) => findBlockName(block) ?? []) },
    blocks: { issuer: [...labelled('issuer'), ...own], recipient: receivers },
  };
}

/**
 * Returns the name with the strongest evidence of being the issuer's. A legal form counts only half, because
 * other companies in the document have one as well.
 */
export function findMostLikelyIssuer(names: readonly Candidate[]): Candidate | undefined {
  const placed = ({ features }: Candidate) =>
    computeStrength({ features: { ...features, name: (features.name ?? 0) / 2 } });
  return [...names].sort((left, right) => placed(right) - placed(left))[0];
}

function containsAddress(lines: Segment[], blocks: PartyBlock[]): boolean {
  return blocks.some((block) => block.lines.some((line) => lines.includes(line)));
}

/**
 * Builds the block of an address. It consists of the address and the lines above it, up to the nearest label.
 */
function buildBlock(address: AddressBlock): OpenBlock {
  const above = [...address.above];
  if (address.isInLine)
    return { role: 'issuer', lines: [...above, ...address.lines], address, certainty: 0.7 };
  const label = above.findLastIndex(isPartyLabel);
  const lines = [...above.slice(label + 1), ...address.lines];
  const labelRole = label >= 0 ? findSegmentRole(above[label]!) : undefined;
  return { role: labelRole?.role, lines, address, certainty: labelRole?.score ?? 0.5 };
}

/**
 * Returns whether a line is a label that begins the details of a party. "Customer Care Ltd" is a name and not
 * a label.
 */
const isPartyLabel = (line: Segment) => /:\s*$/.test(line.text) || findSegmentRole(line)?.score === 1;

function findSegmentRole({ text }: Segment) {
  const bare = text.replace(/:\s*$/, '');
  return bare.length > 60 || /\d|@|www\./.test(bare)
    ? undefined
    : findLabelRole(tokenize(bare).map(({ word }) => word));
}

/**
 * Finds the text blocks that belong to a party's label. A block is in the label's own text, beside it or
 * below it.
 */
function findLabelledBlocks(context: Context, addresses: AddressBlock[]): OpenBlock[] {
  const out: OpenBlock[] = [];
  for (const segment of listSegments(context.pages.slice(0, 3))) {
    const colon = segment.text.indexOf(':');
    const label = colon < 0 ? segment.text : segment.text.slice(0, colon);
    const segmentRole = findSegmentRole({ ...segment, text: label });
    if (!segmentRole || segmentRole.score < MIN_PARTY_LABEL_SCORE) continue;
    const inline = colon < 0 ? '' : segment.text.slice(colon + 1).trim();
    const right = segment.page.lines[segment.line]!.segments[segment.index + 1];
    // A text with a number beside it is the label of that number and not of a party.
    if (colon < 0 && right && /\d/.test(right.text)) continue;
    const from = inline ? sliceSegment(segment, segment.text.lastIndexOf(inline), inline.length) : undefined;
    const first = from ?? (right && !findSegmentBelow(segment) && canBeName(right.text) ? right : undefined);
    const lines = first
      ? [first, ...listLinesBelow(right === first ? right : segment)]
      : listLinesBelow(segment);
    if (lines.length === 0 || (from && !canBeName(inline))) continue;
    if (!lines.slice(0, colon < 0 ? 1 : 2).some((line) => canBeName(line.text))) continue;
    const address = addresses.find((block) => block.lines.some((line) => lines.includes(line)));
    out.push({ role: segmentRole.role, lines, certainty: segmentRole.score, ...(address && { address }) });
  }
  return out.sort((left, right) => right.certainty - left.certainty);
}

/** Returns up to seven lines directly below a text, up to the next gap or label. */
function listLinesBelow(segment: Segment): Segment[] {
  const out: Segment[] = [];
  for (let next = findSegmentBelow(segment); next && out.length < 7; next = findSegmentBelow(next)) {
    if (isPartyLabel(next)) break;
    out.push(next);
  }
  return out.filter((line) => !looksLikeLabel(line) && !/^[\p{L}. -]{2,25}\s*:\s/u.test(line.text));
}

/** Returns the name of a block: its first line that can be a name. Returns undefined if no line can. */
export function findBlockName({ lines, certainty }: PartyBlock): Candidate | undefined {
  for (const segment of lines.slice(0, 5)) {
    if (!canBeName(segment.text) || looksLikeLabel(segment) || isAddressed(segment)) continue;
    const { text, offset } = stripSalutation(segment.text);
    if (text.length < 2) continue;
    return {
      value: text,
      spans: [toSpan(segment, offset, offset + text.length)],
      features: { party: certainty, name: 0.5 },
    };
  }
  return undefined;
}

/** Returns whether a line only addresses a reader, such as "Gentile cliente". */
const isAddressed = (segment: Segment) =>
  findSegmentRole(segment) !== undefined && !hasLegalForm(segment.text);

const isUpperHalf = ({ page, box }: Segment) => page.index === 0 && box.y < page.height * 0.5;
const isFooter = ({ lines: [line] }: PartyBlock) =>
  line?.page.measured === true && line.box.y > line.page.height * 0.85;

/**
 * Finds the issuer's name among the first lines and above the first address. A legal form and repetition in
 * the text are evidence.
 */
function findLetterheadNames(context: Context, addresses: AddressBlock[]): Candidate[] {
  const found = new Map<string, Candidate>();
  const all = [...listSegments(context.pages)].map((segment) => squash(segment.text));
  const note = (segment: Segment, letterhead: number) => {
    const own = removeTail(segment.text).replace(/[’'`´*]$/, '');
    const begun = listBeginnings(segment, own);
    const text = [...begun.map((line) => line.text), own].join(' ');
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
    const spans = [...begun.map((line) => toSpan(line, 0, line.text.length)), toSpan(segment, 0, own.length)];
    found.set(key, { value: text, spans, features });
  };
  const [first] = context.pages;
  const owners = new Set(addresses[0]?.above.slice(-2));
  for (const { segment, rank } of first ? listHeadSegments(first) : []) {
    const own = removeTail(segment.text);
    const isEnd = isOnlyLegalForm(own) && listBeginnings(segment, own).length > 0;
    if (!isEnd && (!canBeName(own) || looksLikeLabel(segment))) continue;
    const over = owners.has(segment) ? 0.25 : 0;
    note(segment, 0.9 - 0.1 * rank + over);
  }
  for (const segment of owners) {
    if (canBeName(segment.text) && !looksLikeLabel(segment)) note(segment, 0.55);
  }
  return [...found.values()];
}

const removeTail = (text: string) => text.replace(TAIL, '').trim().replace(TAIL, '').trim();

/**
 * Returns the lines above in which a company's name begins, if its legal form stands on a line of its own or after
 * a single word. Returns an empty list if the name is complete.
 */
function listBeginnings(segment: Segment, own: string): Segment[] {
  const out: Segment[] = [];
  for (let text = own; isEndOfName(text) && out.length < 2; ) {
    const above = findSegmentAbove(out[0] ?? segment);
    const isAlike = above && /\p{Ll}/u.test(above.text) === /\p{Ll}/u.test(own);
    if (!isAlike || /\d/.test(above.text) || hasLegalForm(above.text) || !canBeName(above.text)) break;
    out.unshift(above);
    text = `${above.text} ${text}`;
  }
  return out;
}

/** Returns whether a text is a legal form after at most one other word. Text in brackets does not count. */
function isEndOfName(text: string): boolean {
  const words = text.replace(/\([^()]{0,40}\)/g, ' ').match(/[\p{L}\p{N}][^\s()]*/gu) ?? [];
  return hasLegalForm(text) && words.filter((word) => !isLegalForm(word)).length <= 1;
}

/** Returns the first lines of a page that contain words, with their rank. */
function listHeadSegments(page: LayoutPage): { segment: Segment; rank: number }[] {
  const worded = page.lines.filter((line) =>
    line.segments.some(({ text }) => /\p{L}{2}|\p{L}&\p{L}/u.test(text)),
  );
  return worded
    .slice(0, HEAD_LINES)
    .filter((line) => !page.measured || line.y < page.height * 0.3)
    .flatMap((line, rank) => line.segments.map((segment) => ({ segment, rank })));
}
