import { squash } from '#src/lib/words.ts';
import { type Candidate, type Context, candidateOf, segmentsOf, unlabelled } from './candidates.ts';
import type { Field } from './fields.ts';
import type { Segment } from './layout.ts';
import {
  cityLine,
  companyNames,
  domainMatch,
  domainOf,
  domainsOf,
  findParties,
  hasSenderDetails,
  isName,
  isStreet,
  nameOfBlock,
  type PartyBlock,
} from './parties.ts';
import type { PartyRole } from './vocabulary/parties.ts';

/** Who sent and who receives the document, with the blocks that say so; read once per extraction. */
export interface Parties {
  names: Record<PartyRole, Candidate[]>;
  blocks: Record<PartyRole, PartyBlock[]>;
}

export function readParties(context: Context): Parties {
  const found = findParties(context);
  const domains = domainsOf(context);
  const labelled = (role: PartyRole) => found.filter((block) => block.role === role);
  const buyers = labelled('buyer');
  const buyerNames = buyers.flatMap((block) => nameOfBlock(block) ?? []);
  const taken = new Set(buyerNames.map((name) => squash(String(name.value))));
  const sellers = [
    ...labelled('seller').flatMap((block) => nameOfBlock(block) ?? []),
    ...letterheadNames(context, domains).filter((name) => !taken.has(squash(String(name.value)))),
  ].sort((left, right) => right.score - left.score);
  const seller = squash(String(sellers[0]?.value ?? ''));

  const open = found.filter((block) => block.role === undefined);
  const isSeller = (block: PartyBlock) => {
    if (block.lines.some((line) => seller && squash(line.text).includes(seller))) return true;
    const known = (sellers[0]?.score ?? 0) >= 0.5;
    return !known && block.lines.some(hasSenderDetails);
  };
  const sellerBlocks = open.filter(isSeller);
  const receiverBlocks = open.filter((block) => !isSeller(block) && isUpperHalf(block.lines[0]!));
  // Without a label the receiver is whose address stands in the upper part of the first page.
  const receivers = receiverBlocks.flatMap((block) => {
    const name = nameOfBlock(block);
    return name ? [{ ...name, score: 0.55 }] : [];
  });
  return {
    names: { seller: sellers, buyer: buyerNames.length > 0 ? buyerNames : receivers.slice(0, 1) },
    blocks: {
      seller: [...labelled('seller'), ...sellerBlocks],
      buyer: buyers.length > 0 ? buyers : receiverBlocks,
    },
  };
}

function isUpperHalf(segment: Segment): boolean {
  return segment.page.index === 0 && segment.box.y < segment.page.height * 0.5;
}

/** Names that look like the sender's: with a legal form, at the edges, repeated, or like the mail domain. */
function letterheadNames(context: Context, domains: string[]): Candidate[] {
  const found = new Map<string, { candidate: Candidate; count: number; base: number }>();
  const note = (segment: Segment, text: string, start: number, base: number) => {
    const key = squash(text);
    if (key.length < 3) return;
    const end = start + text.length;
    const candidate = candidateOf(segment, { value: text, text, start, end, quality: 1 }, base);
    const known = found.get(key);
    if (!known) found.set(key, { candidate, count: 1, base });
    else if (base > known.base) found.set(key, { candidate, count: known.count + 1, base });
    else known.count++;
  };
  for (const segment of segmentsOf(context.pages.slice(0, 3))) {
    const { page, box } = segment;
    const edge = box.y < page.height * 0.2 || box.y > page.height * 0.82;
    for (const name of companyNames(segment)) {
      note(segment, name.text, name.start, edge ? 0.4 : 0.28);
    }
    const first = page.index === 0 && segment.line < 4;
    const match = isName(segment.text) ? domainMatch(segment.text, domains) : 0;
    if (match === 1) note(segment, segment.text, 0, 0.3);
    else if (first && segment.line < 2 && isName(segment.text)) note(segment, segment.text, 0, 0.22);
  }
  return [...found.values()].map(({ candidate, count, base }) => {
    const match = domainMatch(String(candidate.value), domains);
    return { ...candidate, score: Math.min(0.9, base + 0.07 * Math.min(3, count - 1) + 0.3 * match) };
  });
}

/** Candidates for a detail of the seller or buyer. */
export function partyCandidates(field: Field, parties: Parties, context: Context): Candidate[] {
  if (!field.role || !field.part) return [];
  if (field.part === 'name') return parties.names[field.role];
  if (field.part === 'contact') return contacts(field, field.role, parties, context);
  return parties.blocks[field.role].flatMap((block, index) => {
    const found = detail(field, block);
    return found ? [{ ...found, score: Math.max(0.4, block.score + 0.15) * 0.95 ** index }] : [];
  });
}

function detail(field: Field, block: PartyBlock): Candidate | undefined {
  for (const segment of block.lines) {
    const place = cityLine(segment.text);
    const value =
      field.part === 'city'
        ? place?.city
        : field.part === 'postal_code'
          ? place?.zip
          : field.part === 'street' && isStreet(segment.text)
            ? segment.text.trim()
            : undefined;
    if (value) {
      const start = segment.text.indexOf(value);
      return candidateOf(segment, { value, text: value, start, end: start + value.length, quality: 1 }, 0.6);
    }
  }
  const at = block.lines.findIndex((segment) => cityLine(segment.text));
  const last = at >= 0 ? block.lines[at + 1] : undefined;
  if (field.part === 'country' && last && /^\p{Lu}[\p{L} /-]{2,30}$/u.test(last.text)) {
    return candidateOf(
      last,
      { value: last.text, text: last.text, start: 0, end: last.text.length, quality: 1 },
      0.6,
    );
  }
  if (field.part === 'address' && at >= 0) {
    const from = block.lines.findIndex((segment) => isStreet(segment.text));
    const lines = block.lines.slice(from >= 0 && from < at ? from : at, at + 1);
    const spans = lines.flatMap(
      (line) =>
        candidateOf(line, { value: '', text: line.text, start: 0, end: line.text.length, quality: 1 }, 1)
          .spans,
    );
    return { value: lines.map((line) => line.text).join(', '), spans, score: 0.6, features: { address: 1 } };
  }
  return undefined;
}

/** E-mail, phone and the like go to whoever's block they stand in; the rest belongs to the sender. */
function contacts(field: Field, role: PartyRole, parties: Parties, context: Context): Candidate[] {
  const lines = (of: PartyRole) =>
    new Set(parties.blocks[of].flatMap((block) => block.lines.map((line) => line.text)));
  const own = lines(role);
  const other = lines(role === 'seller' ? 'buyer' : 'seller');
  return unlabelled(field, context).map((candidate) => {
    const [span] = candidate.spans;
    const stands = (texts: Set<string>) =>
      [...texts].some((text) => span !== undefined && text.includes(span.text));
    const domain = ['email', 'url'].includes(field.kind) ? domainOf(String(candidate.value)) : undefined;
    const named = (of: PartyRole) =>
      domain !== undefined && domainMatch(String(parties.names[of][0]?.value ?? ''), [domain]) === 1;
    if (named(role)) return { ...candidate, score: Math.min(1, candidate.score * 1.7) };
    if (named(role === 'seller' ? 'buyer' : 'seller')) return { ...candidate, score: candidate.score * 0.4 };
    const factor = stands(own) ? 1.4 : stands(other) ? 0.4 : role === 'seller' ? 1.1 : 0.5;
    return { ...candidate, score: Math.min(1, candidate.score * factor) };
  });
}
