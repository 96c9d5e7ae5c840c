import { fold, wordsOf } from '#src/lib/text/words.ts';
import type { Kind } from '../vocabulary/concept.ts';

/** Who a document is from, and whom it is for. */
export type PartyRole = 'issuer' | 'recipient';

export type PartyPart = 'name' | 'street' | 'city' | 'postal_code' | 'country' | 'address';

// One list for both sides: the nouns by which schemas ask for a party are those that documents print above it. Each is
// looked for inside words, as languages that write compounds need it; the longest one counts.
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
/** Short words that say it only when they stand alone. */
const WHOLE: Record<string, PartyRole> = {
  from: 'issuer',
  von: 'issuer',
  to: 'recipient',
  an: 'recipient',
  attn: 'recipient',
  tav: 'recipient',
};
/** Kinds of organisations: a field named by one asks for the document's maker unless it says something else. */
const ORGANISATION =
  /(?<!\p{L})(?:company|firma?|organi[sz]ation|business|institution|bank|school|university|college|hospital|clinic|hotel|agency|authority|unternehmen|schule|klinik|bedrijf|entreprise|societe|empresa|azienda|spolka)(?!\p{L})/u;
/** What labels of parties say beside the noun. */
const NEUTRAL =
  /^(?:name|addres|adres|naam|company|details|anschrift)|^(?:to|by|of|the|for|our|your|de|du|des|d|l|der|die|das|den|van|het|aan|ihr|an|von|a|la|le|el|y|di|da|do)$/;
const flat = (text: string) => fold(text).replace(/(?<=[aou])e/g, '');

const STEMS = (Object.keys(NOUNS) as PartyRole[])
  .flatMap((role) => NOUNS[role].map((noun) => ({ role, stem: flat(noun) })))
  .sort((left, right) => right.stem.length - left.stem.length);

/** The role that a word names, by the longest noun in it. */
function roleOfWord(word: string): PartyRole | undefined {
  if (word.length < 4 || word.length > 40) return undefined;
  const plain = flat(word);
  return STEMS.find(({ stem }) => {
    const at = plain.lastIndexOf(stem);
    // A compound is what its last part is, give or take an ending: a "Kundenbeleg" is no customer.
    return at >= 0 && (at === 0 || stem.length > 5) && plain.length - at - stem.length <= 3;
  })?.role;
}

/** Whose detail a field asks for, from its name with those around it, else from its description. */
export function partyRole(text: string, description = ''): PartyRole | undefined {
  for (const said of [text, description]) {
    const named = wordsOf(said).flatMap((word) => roleOfWord(word) ?? []);
    // "Name of the customer's supplier" is rare; "the buyer's bill" and "the seller who issued" are not.
    if (named.length > 0) return named[0];
  }
  return ORGANISATION.test(fold(text)) ? 'issuer' : undefined;
}

/** From here on a label is taken to name a party and no detail of it. */
export const SURE_LABEL = 0.7;

/** How surely the words of a label name a party and nothing else of it, 0..1. */
export function labelRole(words: string[]): { role: PartyRole; score: number } | undefined {
  if (words.length === 0 || words.length > 5) return undefined;
  const [alone] = words;
  const short = words.length === 1 ? WHOLE[alone!] : undefined;
  if (short) return { role: short, score: 0.7 };
  const roles = words.map(roleOfWord);
  const role = roles.findLast((each) => each !== undefined);
  if (!role) return undefined;
  const extra = words.filter((word, at) => !roles[at] && !NEUTRAL.test(word));
  return { role, score: 1 / (1 + 0.6 * extra.length) };
}

const ADDRESS = /adress|addres|adres\b|anschrift|indirizzo|direccion|endereco/;

/** Which detail of a party a field asks for. */
export function partyPart(
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
  const said = fold(description);
  if (/\b(?:location|place|where|standort)\b/.test(text))
    return ADDRESS.test(said) || /\bwhere\b/.test(said) ? 'address' : undefined;
  const named =
    /\b(name|company|firma|naam|nom|nome|nombre|nazwa|legal)\b/.test(text) || partyRole(text) !== undefined;
  if (named && (context.length === 0 || /name|company/.test(text))) return 'name';
  return /\b(?:name of|who)\b/.test(said) ? 'name' : undefined;
}
