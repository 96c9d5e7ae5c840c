import { nameWords, squash, wordsOf } from '#src/lib/text/words.ts';
import { placeIn, streetness, under } from './address.ts';
import { type Context, spanOf, unlabelled } from './candidates.ts';
import type { Candidate } from './evidence.ts';
import type { Field } from './fields.ts';
import type { Segment } from './layout.ts';
import { domainMatch, domainOf, isName } from './names.ts';
import { likeliest, type Parties, type PartyBlock } from './parties.ts';
import { asksLegalName, labelRole, type PartyRole, SURE_LABEL } from './party-roles.ts';

/** A field that asks for a name or an address and not whose: where nothing is labelled so, it is the maker's. */
export function makersDetail(field: Field): Field | undefined {
  const isPlain = !field.role && field.part && nameWords(field.name).every((word) => PLAIN.test(word));
  return isPlain ? { ...field, role: 'issuer' } : undefined;
}

/** The words of such names, a person's documents (applications, essays) included. */
const PLAIN =
  /^(?:name|full|first|last|address|adres|adresse|anschrift|postal|mailing|home|street|city|town|zip|code|postcode|country|candidate|applicant|person|author|nom|nome|naam|nombre)$/;

/** Candidates for a detail of the document's maker or of whom it is for. */
export function partyCandidates(field: Field, parties: Parties, context: Context): Candidate[] {
  const { role, part } = field;
  if (!role || !part) return [];
  if (part === 'name') return named(field, parties.names[role]);
  if (part === 'contact') return contacts(field, role, parties, context);
  return parties.blocks[role].flatMap((block, index) => {
    const found = detail(field, block);
    const features = {
      party: Math.max(0.5, block.surety) * 0.9 ** index,
      address: block.address?.surety ?? 0,
    };
    return found ? [{ ...found, features }] : [];
  });
}

/** Whether a value at a label can be the name that a field asks for. What the noun of a party leads to is read above. */
export function mayName(
  { part, role }: Field,
  { value, label = '' }: { value: unknown; label?: string },
): boolean {
  if (part !== 'name' || !role) return true;
  const words = wordsOf(label.split(':', 1)[0]!);
  return isName(String(value)) && (labelRole(words)?.score ?? 0) < SURE_LABEL;
}

/** A legal form speaks for a name where the field asks for the company, and says nothing where it asks for the shop. */
function named(field: Field, names: Candidate[]): Candidate[] {
  const legal = asksLegalName(`${field.name} ${field.description}`.replace(/_/g, ' '));
  return names.map((candidate) => ({
    ...candidate,
    features: { ...candidate.features, name: (candidate.features.name ?? 0) * (legal ? 1 : 0.5) },
  }));
}

function detail(field: Field, { address }: PartyBlock): Omit<Candidate, 'features'> | undefined {
  if (!address) return undefined;
  const at = address.lines.findIndex((segment) => placeIn(segment.text));
  const segment = address.lines[at];
  const place = segment && placeIn(segment.text);
  const of = (line: Segment, value: string) => {
    const start = line.text.indexOf(value);
    return { value, spans: [spanOf(line, start, start + value.length)] };
  };
  if (field.part === 'city') return place && of(segment!, place.city);
  if (field.part === 'postal_code') return place && of(segment!, place.zip);
  if (field.part === 'street') {
    const street = address.lines.find((line) => streetness(line.text) > 0 && !placeIn(line.text));
    return street && of(street, street.text.trim());
  }
  if (field.part === 'country') {
    const next = segment && under(segment);
    return next && /^\p{Lu}[\p{L} /-]{2,30}$/u.test(next.text) ? of(next, next.text) : undefined;
  }
  const spans = address.lines.map((line) => spanOf(line, 0, line.text.length));
  const value = address.lines.map((line) => line.text.replace(/(?<![\s,])[\s,]+$/, '')).join(', ');
  return { value, spans };
}

/** E-mail, phone and the like go to whoever's block they stand in or by; the rest belongs to the document's maker. */
function contacts(field: Field, role: PartyRole, parties: Parties, context: Context): Candidate[] {
  const other = role === 'issuer' ? 'recipient' : 'issuer';
  const best = (of: PartyRole) => String(likeliest(parties.names[of])?.value ?? '');
  const holds = (of: PartyRole, text: string) =>
    parties.blocks[of].some((block) => block.lines.some((line) => squash(line.text).includes(squash(text))));
  return unlabelled(field, context).map((candidate) => {
    const text = candidate.spans[0]?.text ?? '';
    const domain = ['email', 'url'].includes(field.kind) ? domainOf(String(candidate.value)) : undefined;
    const named = (of: PartyRole) => domain !== undefined && domainMatch(best(of), [domain]) === 1;
    const own = named(role) || (!named(other) && holds(role, text));
    const others = named(other) || (!own && holds(other, text));
    const party = own ? 0.8 : others ? 0 : role === 'issuer' ? 0.5 : 0.15;
    return { value: candidate.value, spans: candidate.spans, features: { type: candidate.score, party } };
  });
}
