import { squash, tokensOf } from '#src/lib/text/words.ts';
import { type Context, segmentsOf, spanOf } from '../candidates.ts';
import { type Candidate, strength } from '../evidence.ts';
import { looksLikeLabel } from '../labels.ts';
import { type LayoutPage, partOf, type Segment } from '../layout.ts';
import { type AddressBlock, addressesOf, under } from './address.ts';
import { hasLegalForm, isName, withoutSalutation } from './names.ts';
import { labelRole, type PartyRole, SURE_LABEL } from './party-roles.ts';

/** Lines from the top in which a document says who made it. */
const HEAD = 8;

/** Numbers of branches and tills behind a name, and a bracket that the line cuts off. */
const TAIL = /(?<!\s)\s{0,3}(?:[-–(#] ?#? ?\d{2,12}\)?|# ?\d|\([^()]{1,80})$/;

/** Who sent and who receives the document, with the blocks that say so; read once per extraction. */
export interface Parties {
  names: Record<PartyRole, Candidate[]>;
  blocks: Record<PartyRole, PartyBlock[]>;
}

/** Lines that stand together and name one party, with its address when they hold one. */
export interface PartyBlock {
  lines: Segment[];
  address?: AddressBlock;
  /** 0..1: how surely it is this party. */
  surety: number;
}

type OpenBlock = PartyBlock & { role: PartyRole | undefined };

export function readParties(context: Context): Parties {
  const addresses = context.pages.slice(0, 2).flatMap(addressesOf);
  const blocks = [...labelledBlocks(context, addresses), ...addresses.map(blockOf)];
  const labelled = (role: PartyRole) => blocks.filter((block) => block.role === role);
  const recipients = labelled('recipient');
  const others = new Set(
    recipients.flatMap((block) => nameOf(block) ?? []).map(({ value }) => squash(String(value))),
  );
  const issuers = [
    ...labelled('issuer').flatMap((block) => nameOf(block) ?? []),
    ...letterheadNames(context, addresses),
  ].filter(({ value }) => !others.has(squash(String(value))));
  const best = likeliest(issuers);
  const known = best && squash(String(best.value));
  const open = blocks.filter(
    ({ role, lines }) => !role && !addressIn(lines, [...labelled('issuer'), ...recipients]),
  );
  const isIssuers = (block: OpenBlock, at: number) =>
    block.lines.some((line) => known && squash(line.text).includes(known)) ||
    isFooter(block) ||
    (at === 0 && !context.pages[0]?.measured);
  const own = open.filter(isIssuers);
  const rest = open.filter((block) => !own.includes(block) && isUpperHalf(block.lines[0]!));
  const receivers = recipients.length > 0 ? recipients : rest.map((block) => ({ ...block, surety: 0.55 }));
  return {
    names: { issuer: issuers, recipient: receivers.flatMap((block) => nameOf(block) ?? []) },
    blocks: { issuer: [...labelled('issuer'), ...own], recipient: receivers },
  };
}

/** The name that stands most like a maker's; a company that is merely mentioned has a legal form as well. */
export function likeliest(names: readonly Candidate[]): Candidate | undefined {
  const placed = ({ features }: Candidate) =>
    strength({ features: { ...features, name: (features.name ?? 0) / 2 } });
  return [...names].sort((left, right) => placed(right) - placed(left))[0];
}

/** Whether the same address stands in one of the blocks already. */
function addressIn(lines: Segment[], blocks: PartyBlock[]): boolean {
  return blocks.some((block) => block.lines.some((line) => lines.includes(line)));
}

/** The lines of an address, with those above that a gap, a label or another block does not part from it. */
function blockOf(address: AddressBlock): OpenBlock {
  const above = [...address.above];
  if (address.inLine) return { role: 'issuer', lines: [...above, ...address.lines], address, surety: 0.7 };
  const label = above.findLastIndex(endsParty);
  const lines = [...above.slice(label + 1), ...address.lines];
  const told = label >= 0 ? roleOfLabel(above[label]!) : undefined;
  return { role: told?.role, lines, address, surety: told?.score ?? 0.5 };
}

/** A label that begins what comes below it. "Customer Care Ltd" is a name. */
const endsParty = (line: Segment) => /:\s*$/.test(line.text) || roleOfLabel(line)?.score === 1;

function roleOfLabel({ text }: Segment) {
  const bare = text.replace(/:\s*$/, '');
  return bare.length > 60 || /\d|@|www\./.test(bare)
    ? undefined
    : labelRole(tokensOf(bare).map(({ word }) => word));
}

/** What follows the label of a party: in its piece, beside it or below. */
function labelledBlocks(context: Context, addresses: AddressBlock[]): OpenBlock[] {
  const out: OpenBlock[] = [];
  for (const segment of segmentsOf(context.pages.slice(0, 3))) {
    const colon = segment.text.indexOf(':');
    const label = colon < 0 ? segment.text : segment.text.slice(0, colon);
    const told = roleOfLabel({ ...segment, text: label });
    if (!told || told.score < SURE_LABEL) continue;
    const inline = colon < 0 ? '' : segment.text.slice(colon + 1).trim();
    const right = segment.page.lines[segment.line]!.segments[segment.index + 1];
    // A number beside it makes it the label of that number.
    if (colon < 0 && right && /\d/.test(right.text)) continue;
    const from = inline ? partOf(segment, segment.text.lastIndexOf(inline), inline.length) : undefined;
    const first = from ?? (right && !under(segment) && isName(right.text) ? right : undefined);
    const lines = first ? [first, ...runBelow(right === first ? right : segment)] : runBelow(segment);
    if (lines.length === 0 || (from && !isName(inline))) continue;
    if (!lines.slice(0, colon < 0 ? 1 : 2).some((line) => isName(line.text))) continue;
    const address = addresses.find((block) => block.lines.some((line) => lines.includes(line)));
    out.push({ role: told.role, lines, surety: told.score, ...(address && { address }) });
  }
  return out.sort((left, right) => right.surety - left.surety);
}

/** The lines right below a piece, without gaps and labels, at most seven. */
function runBelow(segment: Segment): Segment[] {
  const out: Segment[] = [];
  for (let next = under(segment); next && out.length < 7; next = under(next)) {
    if (endsParty(next)) break;
    out.push(next);
  }
  return out.filter((line) => !looksLikeLabel(line) && !/^[\p{L}. -]{2,25}\s*:\s/u.test(line.text));
}

/** Who a block names: its first line that can be a name. */
export function nameOf({ lines, surety }: PartyBlock): Candidate | undefined {
  for (const segment of lines.slice(0, 5)) {
    if (!isName(segment.text) || looksLikeLabel(segment) || isAddressed(segment)) continue;
    const { text, offset } = withoutSalutation(segment.text);
    if (text.length < 2) continue;
    return {
      value: text,
      spans: [spanOf(segment, offset, offset + text.length)],
      features: { party: surety, name: 0.5 },
    };
  }
  return undefined;
}

/** "Gentile cliente" names nobody. */
const isAddressed = (segment: Segment) => roleOfLabel(segment) !== undefined && !hasLegalForm(segment.text);

const isUpperHalf = ({ page, box }: Segment) => page.index === 0 && box.y < page.height * 0.5;
const isFooter = ({ lines: [line] }: PartyBlock) =>
  line?.page.measured === true && line.box.y > line.page.height * 0.85;

/**
 * Reads who made the document: names among its first lines or over its first address. A legal form speaks for a
 * name, and so does its repetition in the text.
 */
function letterheadNames(context: Context, addresses: AddressBlock[]): Candidate[] {
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
