import { nameWords, wordsOf } from '#src/lib/text/words.ts';
import { spanOf } from '../candidates.ts';
import type { Candidate } from '../evidence.ts';
import type { Field } from '../fields.ts';
import type { Segment } from '../layout.ts';
import { placeIn, streetness, under } from './address.ts';
import { isName } from './names.ts';
import type { Parties, PartyBlock } from './parties.ts';
import { labelRole, SURE_LABEL } from './party-roles.ts';

/** A field that asks for a name or an address and not whose: where nothing is labelled so, it is the maker's. */
export function makersDetail(field: Field): Field | undefined {
  const isPlain = !field.role && field.part && nameWords(field.name).every((word) => PLAIN.test(word));
  return isPlain ? { ...field, role: 'issuer' } : undefined;
}

/** The words of such names, a person's documents (applications, essays) included. */
const PLAIN =
  /^(?:name|full|first|last|address|adres|adresse|anschrift|postal|mailing|home|street|city|town|zip|code|postcode|country|candidate|applicant|person|author|nom|nome|naam|nombre)$/;

/** Candidates for a detail of the document's maker or of whom it is for. */
export function partyCandidates(field: Field, parties: Parties): Candidate[] {
  const { role, part } = field;
  if (!role || !part) return [];
  if (part === 'name') return parties.names[role].map(asNamed);
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

/** A legal form counts half: a field may ask for the name over the door as well as for the registered one. */
function asNamed(candidate: Candidate): Candidate {
  const { name = 0 } = candidate.features;
  return { ...candidate, features: { ...candidate.features, name: name / 2 } };
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
