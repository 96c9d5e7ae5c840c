import { fold, splitWords } from '#src/lib/text/words.ts';
import type { Kind } from '../vocabulary/concept.ts';

/** Role of a party of a document: who issued it, or who receives it. */
export type PartyRole = 'issuer' | 'recipient';

export type PartyPart = 'name' | 'street' | 'city' | 'postal_code' | 'country' | 'address';

// Nouns for each role, used for both the fields of schemas and the labels of documents. They are found inside
// longer words, because some languages write compounds. The longest noun counts.
const NOUNS: Record<PartyRole, string[]> = {
  issuer:
    'seller suppl vendor issu sender merchant shop store provid payee creditor landlord employer contractor restaurant retailer verkaufer lieferant absender handler geschaft aussteller arbeitgeber vermieter auftragnehmer zahlungsempfanger leistungserbringer verkoper leverancier afzender werkgever verhuurder winkel laden vendeur fournisseur emetteur prestataire employeur bailleur magasin sprzedawc wystawc pracodawc dostawc sklep vendedor proveedor emisor empleador tienda venditore fornitore mittente negozio'.split(
      ' ',
    ),
  recipient:
    'buyer customer client recipient bill invoiced purchaser consumer guest payer consignee addressee tenant debtor employee student patient passenger holder kaufer kund empfanger besteller auftraggeber mieter arbeitnehmer mitarbeiter patient klant koper ontvanger huurder werknemer factuuradres debiteur acheteur destinataire locataire salarie facturation livraison delivery shipping afleveradres lieferadresse lieferanschrift consegna nabywc odbiorc kupujac pracownik klient cliente comprador destinatario compratore acquirente'.split(
      ' ',
    ),
};
/** Short words that name a role only if they are the whole label. */
const WHOLE_LABELS: Record<string, PartyRole> = {
  from: 'issuer',
  von: 'issuer',
  to: 'recipient',
  an: 'recipient',
  attn: 'recipient',
  tav: 'recipient',
};
/**
 * Matches kinds of organisations. A field that is named after one asks for the issuer, unless it names a
 * role.
 */
const ORGANISATION =
  /(?<!\p{L})(?:company|firma?|organi[sz]ation|business|institution|bank|school|university|college|hospital|clinic|hotel|agency|authority|unternehmen|schule|klinik|bedrijf|entreprise|societe|empresa|azienda|spolka)(?!\p{L})/u;
/** Matches words in the label of a party that do not name its role, such as "name" or "to". */
const NEUTRAL =
  /^(?:name|addres|adres|naam|company|details|anschrift)|^(?:to|by|of|the|for|our|your|de|du|des|d|l|der|die|das|den|van|het|aan|ihr|an|von|a|la|le|el|y|di|da|do)$/;
const foldUmlauts = (text: string) => fold(text).replace(/(?<=[aou])e/g, '');

const STEMS = (Object.keys(NOUNS) as PartyRole[])
  .flatMap((role) => NOUNS[role].map((noun) => ({ role, stem: foldUmlauts(noun) })))
  .sort((left, right) => right.stem.length - left.stem.length);

/** Returns the role that a word names, by the longest noun in it; undefined if it names none. */
function findWordRole(word: string): PartyRole | undefined {
  if (word.length < 4 || word.length > 40) return undefined;
  const plain = foldUmlauts(word);
  return STEMS.find(({ stem }) => {
    const at = plain.lastIndexOf(stem);
    // The last part of a compound decides: a "Kundenbeleg" is a receipt and not a customer.
    return at >= 0 && (at === 0 || stem.length > 5) && plain.length - at - stem.length <= 3;
  })?.role;
}

/**
 * Returns whose detail a field asks for, by its name with the names around it or, failing that, its
 * description. Returns undefined if neither names a role.
 */
export function findPartyRole(text: string, description = ''): PartyRole | undefined {
  for (const source of [text, description]) {
    const named = splitWords(source).flatMap((word) => findWordRole(word) ?? []);
    // If several nouns name a role, the first one counts, as in "the buyer's bill". Texts such as "name of
    // the customer's supplier" are rare.
    if (named.length > 0) return named[0];
  }
  return ORGANISATION.test(fold(text)) ? 'issuer' : undefined;
}

/** Minimum score of a label that names a party rather than a detail of it. */
export const MIN_PARTY_LABEL_SCORE = 0.7;

/** Returns the role that a label names, with a score from 0 to 1 that falls with each other word. */
export function findLabelRole(words: string[]): { role: PartyRole; score: number } | undefined {
  if (words.length === 0 || words.length > 5) return undefined;
  const [alone] = words;
  const short = words.length === 1 ? WHOLE_LABELS[alone!] : undefined;
  if (short) return { role: short, score: 0.7 };
  const roles = words.map(findWordRole);
  const role = roles.findLast((each) => each !== undefined);
  if (!role) return undefined;
  const extra = words.filter((word, at) => !roles[at] && !NEUTRAL.test(word));
  return { role, score: 1 / (1 + 0.6 * extra.length) };
}

const ADDRESS = /adress|addres|adres\b|anschrift|indirizzo|direccion|endereco/;

/**
 * Returns which detail of a party a field asks for, such as the name or address. Returns `undefined` if it
 * asks for none.
 */
export function findPartyPart(
  text: string,
  description: string,
  context: string[],
  kind: Kind,
): PartyPart | undefined {
  if (kind === 'postal_code') return 'postal_code';
  if (kind !== 'text') return undefined;
  if (/\b(street|strasse|straat|rue|calle|via|ulica|address line)\b/.test(text)) return 'street';
  if (/\b(city|town|ort|stadt|plaats|ville|ciudad|citta|miasto)\b/.test(text)) return 'city';
  if (/\bcountry\b/.test(text)) return 'country';
  if (ADDRESS.test(text)) return 'address';
  const source = fold(description);
  if (/\b(?:location|place|where|standort)\b/.test(text))
    return ADDRESS.test(source) || /\bwhere\b/.test(source) ? 'address' : undefined;
  const named =
    /\b(name|company|firma|naam|nom|nome|nombre|nazwa|legal)\b/.test(text) ||
    findPartyRole(text) !== undefined;
  if (named && (context.length === 0 || /name|company/.test(text))) return 'name';
  return /\b(?:name of|who)\b/.test(source) ? 'name' : undefined;
}
