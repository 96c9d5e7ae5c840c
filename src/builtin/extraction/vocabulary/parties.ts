import { phrases } from './concept.ts';

export type PartyRole = 'seller' | 'buyer';

/** Whose detail a field asks for, from its name, description and the names above it. */
export function partyRole(text: string): PartyRole | undefined {
  if (
    /\b(seller|supplier|vendor|issuer|issued|provider|sender|merchant|from|partner|payee|company that|verkaeufer|lieferant|leverancier|fournisseur|sprzedawca|creditor|landlord|employer|contractor)\b/.test(
      text,
    )
  )
    return 'seller';
  if (
    /\b(buyer|customer|client|recipient|bill(ed)? to|billed|purchaser|consumer|guest|payer|ship to|kunde|klant|kaeufer|acheteur|nabywca|debtor|tenant)\b/.test(
      text,
    )
  )
    return 'buyer';
  return undefined;
}

export const PARTY_LABELS: Record<PartyRole, string[]> = {
  seller: phrases(
    'seller|supplier|vendor|from|sold by|service provider|issuer|issued by|sender|merchant|verkäufer|lieferant|absender|rechnungssteller|leistungserbringer|verkoper|leverancier|afzender|vendeur|fournisseur|émetteur|prestataire|sprzedawca|wystawca|proveedor|fornitore|payable to',
  ),
  buyer: phrases(
    'buyer|customer|client|bill to|billed to|bill to address|sold to|invoice to|invoiced to|customer name|guest name|recipient|billing address|käufer|käufer leistungsempfänger|kunde|rechnungsempfänger|rechnungsadresse|rechnung an|leistungsempfänger|empfänger|factuuradres|klant|koper|debiteur|t a v|factuur aan|client facturé|adresse de facturation|facturé à|destinataire|acheteur|nabywca|odbiorca|kupujący|cliente|ship to|attn',
  ),
};
