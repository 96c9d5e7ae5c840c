import { splitIdentifier, splitWords } from '#src/lib/text/words.ts';
import { toSpan } from '../candidates.ts';
import type { Candidate } from '../evidence.ts';
import type { Field } from '../fields.ts';
import type { Segment } from '../layout.ts';
import { findPlace, scoreStreet } from './address-shape.ts';
import { canBeName } from './names.ts';
import { findSegmentBelow } from './neighbours.ts';
import type { Parties, PartyBlock } from './parties.ts';
import { findLabelRole, MIN_PARTY_LABEL_SCORE } from './party-roles.ts';

/**
 * Returns the field as a field of the issuer if it asks for a name or an address without saying whose.
 * Returns undefined for other fields.
 */
export function toIssuerField(field: Field): Field | undefined {
  const isPlain =
    !field.role && field.part && splitIdentifier(field.name).every((word) => PLAIN_WORD.test(word));
  return isPlain ? { ...field, role: 'issuer' } : undefined;
}

/**
 * Matches words in the names of fields that ask for a name or address without saying whose. They include
 * words for persons, as in job applications.
 */
const PLAIN_WORD =
  /^(?:name|full|first|last|address|adres|adresse|anschrift|postal|mailing|home|street|city|town|zip|code|postcode|country|candidate|applicant|person|author|nom|nome|naam|nombre)$/;

/** Returns the candidates for a detail of the issuer or the recipient. */
export function findPartyCandidates(field: Field, parties: Parties): Candidate[] {
  const { role, part } = field;
  if (!role || !part) return [];
  if (part === 'name') return parties.names[role].map(halveLegalForm);
  return parties.blocks[role].flatMap((block, index) => {
    const found = readDetail(field, block);
    const features = {
      party: Math.max(0.5, block.certainty) * 0.9 ** index,
      address: block.address?.certainty ?? 0,
    };
    return found ? [{ ...found, features }] : [];
  });
}

/**
 * Returns whether a labelled value can be the name that a field asks for. Labels that name a party are read
 * elsewhere.
 */
export function canNameParty(
  { part, role }: Field,
  { value, label = '' }: { value: unknown; label?: string },
): boolean {
  if (part !== 'name' || !role) return true;
  const words = splitWords(label.split(':', 1)[0]!);
  return canBeName(String(value)) && (findLabelRole(words)?.score ?? 0) < MIN_PARTY_LABEL_SCORE;
}

/**
 * Halves the weight of a legal form such as "Ltd", because a field may ask for a trade name, which has none.
 */
function halveLegalForm(candidate: Candidate): Candidate {
  const { name = 0 } = candidate.features;
  return { ...candidate, features: { ...candidate.features, name: name / 2 } };
}

function readDetail(field: Field, { address }: PartyBlock): Omit<Candidate, 'features'> | undefined {
  if (!address) return undefined;
  const at = address.lines.findIndex((segment) => findPlace(segment.text));
  const segment = address.lines[at];
  const place = segment && findPlace(segment.text);
  const toFound = (line: Segment, value: string) => {
    const start = line.text.indexOf(value);
    return { value, spans: [toSpan(line, start, start + value.length)] };
  };
  if (field.part === 'city') return place && toFound(segment!, place.city);
  if (field.part === 'postal_code') return place && toFound(segment!, place.zip);
  if (field.part === 'street') {
    const street = address.lines.find((line) => scoreStreet(line.text) > 0 && !findPlace(line.text));
    return street && toFound(street, street.text.trim());
  }
  if (field.part === 'country') {
    const next = segment && findSegmentBelow(segment);
    return next && /^\p{Lu}[\p{L} /-]{2,30}$/u.test(next.text) ? toFound(next, next.text) : undefined;
  }
  const spans = address.lines.map((line) => toSpan(line, 0, line.text.length));
  const value = address.lines.map((line) => line.text.replace(/(?<![\s,])[\s,]+$/, '')).join(', ');
  return { value, spans };
}
