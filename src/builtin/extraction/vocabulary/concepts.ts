import { type Concept, createConcept } from './concept.ts';

// Printed labels of common business fields in English, Dutch, French, German and Polish, and a few in Spanish
// and Italian. `field` matches the name or description of a schema field. `weak` labels count only if a value
// follows in the same text.

/**
 * Business concepts, such as the due date. The first concept whose `field` pattern matches a schema field is
 * chosen.
 */
export const CONCEPTS: Concept[] = [
  createConcept(
    'due_date',
    'date',
    /\b(due|payment|pay by|must be paid|maturity|echeance|faellig\w*|verval)\b.{0,100}\b(date|datum|day)|\bdate\b.{0,100}\b(due|must be paid|payable)\b|due date|date due/,
    'due date|payment due|due by|pay by|date due|payment due date|due|vervaldatum|te betalen voor|betaaldatum|uiterste betaaldatum|fällig am|fälligkeit|fälligkeitsdatum|zahlungsziel|zahlbar bis|zu zahlen bis|date d échéance|échéance|à payer avant|à payer avant le|à régler avant le|to be paid by|gelieve te betalen voor|date limite de paiement|termin płatności|termin zapłaty|fecha de vencimiento|vencimiento|scadenza',
    'bitte überweisen sie bis zum|please remit until|please pay by',
  ),
  createConcept(
    'delivery_date',
    'date',
    /\b(deliver\w*|ship\w*|service|supply|dispatch)\b.{0,100}\bdate|date of (delivery|supply|shipment|service)/,
    'delivery date|date of delivery|ship date|shipping date|date of supply|leverdatum|datum levering|lieferdatum|leistungsdatum|liefer und leistungsdatum|lieferdatum entspricht rechnungsdatum|date de livraison|data dostawy|data wykonania usługi|data sprzedaży|fecha de entrega',
  ),
  createConcept(
    'check_in',
    'date',
    /check ?in|arrival/,
    'check in|check in date|arrival|arrival date|anreise|aankomst|arrivée|data przyjazdu',
  ),
  createConcept(
    'check_out',
    'date',
    /check ?out|departure/,
    'check out|check out date|departure|departure date|abreise|vertrek|départ|data wyjazdu',
  ),
  createConcept(
    'period_start',
    'date',
    /\b(period|start|begin\w*|from|effective|commence\w*|valid from)\b.{0,100}\b(date|start|from)\b|\bstart\b|valid from|effective date/,
    'start date|from|valid from|effective date|commencement date|period from|begin|beginn|gültig ab|vom|startdatum|ingangsdatum|date de début|début|data rozpoczęcia|billing period',
  ),
  createConcept(
    'period_end',
    'date',
    /\b(period|end|until|expir\w*|valid (to|until|through)|terminat\w*)\b.{0,100}\b(date|end|until|to)\b|\bend\b|valid (to|until)|expir/,
    'end date|until|valid until|valid to|expiry date|expiration date|expires|expires on|ende|gültig bis|einddatum|geldig tot|date de fin|fin|date d expiration|data zakończenia|ważny do',
  ),
  createConcept(
    'birth_date',
    'date',
    /birth|\bdob\b|born/,
    'date of birth|birth date|dob|born|born on|geburtsdatum|geboren am|geboortedatum|date de naissance|né le|née le|data urodzenia|fecha de nacimiento',
  ),
  createConcept(
    'event_date',
    'date',
    /\b(event|accident|incident|occurrence|loss|meeting|inspection|exam\w*)\b.{0,100}\bdate|date of (the )?(event|accident|incident|occurrence|loss|meeting|inspection)/,
    'date & time|date and time|event date|date of event|date of accident|accident date|date of incident|incident date|date of occurrence|date of loss|unfalldatum|schadendatum|date de l accident|datum ongeval|data wypadku',
    'date',
  ),
  createConcept(
    'document_date',
    'date',
    /\b(invoice|document|issue|issued|bill|billing|letter|receipt|statement|report|rechnungs?|factuur|facture)\b.{0,100}\b(date|datum)|date of (the )?(invoice|document|issue|issuance|bill|letter|receipt|report)|^(issue )?date$|^datum$|\bpurchased? date\b|date of (the )?purchase|^(bought|purchased) (on|at)$|rechnungsdatum|factuurdatum|date de facture|issued (on|at)/,
    'invoice date|date of invoice|date|bill date|billing date|issue date|date of issue|issued|issued on|document date|tax date|tax point|receipt date|statement date|factuurdatum|factuur datum|datum|datum factuur|rechnungsdatum|belegdatum|ausstellungsdatum|datum der rechnung|date de facture|date de la facture|date facture|date d émission|facture du|data wystawienia|data faktury|z dnia|fecha|fecha de factura|data fattura|data',
    'rechnung|facture|invoice|factuur|faktura|fattura',
  ),
  createConcept(
    'invoice_number',
    'identifier',
    /\b(invoice|bill|credit note|rechnungs?|factuur|facture|faktura|faktury|document|receipt)\b.{0,100}\b(number|no|nr|nummer|numero|num|id|code|#)\b|number of the (invoice|credit note|document|bill)|rechnungsnummer|factuurnummer|^(invoice|doc(ument)?)( ?(no|nr|id|number))$/,
    'invoice number|invoice no|invoice nr|invoice id|invoice num|bill number|bill no|document number|document no|receipt number|receipt no|credit note number|credit note no|tax invoice number|factuurnummer|factuur nummer|factuurnr|factuur nr|notanummer|rechnungsnummer|rechnungsnr|rechnungs nr|rechnung nr|beleg nr|belegnummer|rechnungs nummer|numéro de facture|n de facture|n facture|facture n|facture numéro|no facture|numer faktury|nr faktury|faktura nr|faktura vat nr|faktura numer|número de factura|factura n|numero fattura|fattura n',
    'invoice|rechnung|facture|factuur|faktura|factura|fattura|beleg|credit note|gutschrift|handelsrechnung|nota',
  ),
  createConcept(
    'booking_number',
    'identifier',
    /\b(booking|reservation|confirmation)\b/,
    'booking id|booking number|booking no|booking reference|reservation number|reservation|confirmation number|confirmation code|buchungsnummer|reservierungsnummer|boekingsnummer|numéro de réservation|numer rezerwacji',
  ),
  createConcept(
    'case_number',
    'identifier',
    /\b(accident|case|claim|file|ticket|docket|incident|report)\b.{0,100}\b(number|no|nr|id)\b/,
    'case number|case no|claim number|claim no|file number|docket number|ticket number|report number|incident number|accident number|aktenzeichen|schadennummer|zaaknummer|numéro de dossier|sygnatura',
  ),
  createConcept(
    'vat_id',
    'vat_id',
    /\b(vat|ust|btw|tva|nip|tax)\b.{0,100}\b(id|identification|number|no|nr|nummer|registration)\b|^vat$|vat id|ustid|btw nummer|numero tva|\bgstin\b.{0,100}vat/,
    'vat|vat id|vat number|vat no|vat reg no|vat registration number|vat identification number|tax id|tax number|ust id|ust id nr|ustid|ust idnr|umsatzsteuer id|umsatzsteuer identifikationsnummer|uid|uid nr|btw nummer|btw nr|btw|btw id|n tva|numéro de tva|tva intracommunautaire|n tva intracommunautaire|tva|nip|nip ue|nif|cif|partita iva|p iva|vat reg',
  ),
  createConcept(
    'registration_number',
    'identifier',
    /\b(registration|company|register|trade|kvk|siret|siren|regon|krs|handelsregister)\b.{0,100}\b(number|no|nr|id)\b|\b(kvk|siret|siren|regon|krs|hrb)\b/,
    'registration number|registration no|company number|company registration number|company no|reg no|kvk|kvk nummer|kvk nr|handelsregister|handelsregisternummer|hrb|siret|siren|rcs|krs|regon',
  ),
  createConcept('bank_iban', 'iban', /\biban\b/, 'iban|iban nr|iban no|rekening|konto'),
  createConcept('bank_bic', 'bic', /\b(bic|swift)\b/, 'bic|swift|swift bic|bic swift|swift code|bic code'),
  createConcept(
    'payment_terms',
    'text',
    /\b(payment|pay)\b.{0,100}\bterms?\b|terms of payment/,
    'payment terms|terms of payment|terms|betalingsvoorwaarden|betalingstermijn|zahlungsbedingungen|zahlungskonditionen|conditions de paiement|modalités de paiement|warunki płatności',
  ),
  createConcept(
    'payment_method',
    'text',
    /\b(payment|pay)\b.{0,100}\b(method|mode|means|type)\b|how .{0,100}\bpaid\b|paid (by|with|through)/,
    'payment method|method of payment|payment mode|mode of payment|payment type|means of payment|paid by|paid with|betaalwijze|betaalmethode|betaald met|wijze van betaling|vooruitbetaald met|zahlungsart|zahlungsform|zahlungsweise|zahlungsmethode|zahlart|bezahlt mit|mode de règlement|mode de paiement|moyen de paiement|sposób płatności|forma płatności|forma de pago',
  ),
  createConcept(
    'tax_rate',
    'percent',
    /\b(tax|vat|btw|tva|mwst|ust|gst)\b.{0,100}\b(rate|percent\w*|pct|%)|\b(rate|percent\w*) of (tax|vat)/,
    'vat rate|tax rate|vat|tax|vat %|tax %|btw|btw %|btw tarief|ust|ust %|mwst|mwst satz|ust satz|steuersatz|tva|taux tva|taux de tva|stawka vat|vat stawka|iva',
  ),
  createConcept(
    'currency',
    'currency',
    /\bcurrency\b|\bwaehrung\b|\bvaluta\b|\bdevise\b/,
    'currency|invoice currency|währung|rechnungswährung|valuta|devise|monnaie|waluta|moneda',
  ),
  createConcept(
    'email',
    'email',
    /\be ?mails?\b|mail address/,
    'email|e mail|mail|email address|e mail adresse|courriel|adres e mail|correo',
  ),
  createConcept(
    'website',
    'url',
    /\b(web ?site|web|url|home ?page|site|internet)\b/,
    'website|web site|web|internet|im internet|url|homepage|site web|site internet|strona|strona www|www',
  ),
  createConcept('fax', 'phone', /\bfax\b/, 'fax|telefax|fax no|fax nr|télécopie|faks'),
  createConcept(
    'phone',
    'phone',
    /\b(tele)?phone|\btel\b|mobile|\bfon\b|telefoon|telefon/,
    'phone|tel|telephone|phone number|telephone number|mobile|mobile phone|cell|fon|telefon|telefoon|tél|téléphone|mobiel|handy|tel no|phone no|telefon nr',
  ),
  createConcept(
    'postal_code',
    'postal_code',
    /\b(zip|postal code|post ?code|plz|postcode|postleitzahl|zip code|code postal)\b/,
    'zip|zip code|postal code|postcode|plz|postleitzahl|code postal|kod pocztowy',
  ),
  createConcept(
    'street',
    'text',
    /\b(street|strasse|straat|rue|ulica|address line)\b/,
    'street|street address|straße|straat|rue|ulica|address|adres|adresse|anschrift',
  ),
  createConcept(
    'address',
    'text',
    /\baddress\b|\badresse?\b|anschrift/,
    'address|adres|adresse|anschrift|postal address|mailing address',
  ),
];
