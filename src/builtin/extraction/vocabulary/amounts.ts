import { splitPhrases } from './concept.ts';

export type AmountRole = 'gross' | 'net' | 'tax' | 'due';

/**
 * Returns which total of a bill a money field asks for, such as net, tax or gross. Returns undefined if it
 * asks for none.
 */
export function findAmountRole(text: string): AmountRole | undefined {
  if (/\bto pay\b/.test(text)) return 'due';
  if (
    /\b(untaxed|subtotal|sub total|pre ?tax|netto|ht|hors taxes?|excl\w*|net)\b|\b(without|before|w o|ex|zonder|ohne|bez) (tax|vat|btw|mwst|ust|gst|podatku|taxes)\b/.test(
      text,
    )
  )
    return 'net';
  if (
    /\b(gross|grand|brutto|ttc|incl\w*|inkl)\b|\b(with|after|including|plus) (tax|vat|gst|taxes)\b|\btax(es)? (included|inclusive)\b/.test(
      text,
    )
  )
    return 'gross';
  if (/\b(tax|taxes|vat|gst|btw|tva|mwst|ust|umsatzsteuer|steuerbetrag|podatek)\b/.test(text)) return 'tax';
  if (/\b(due|payable|outstanding|balance|zahlbetrag|te betalen)\b/.test(text)) return 'due';
  if (
    /\b(total|amount of the (invoice|bill)|invoice amount|totaal|gesamtbetrag|montant total|suma|razem)\b/.test(
      text,
    )
  )
    return 'gross';
  return undefined;
}

export const AMOUNT_LABELS: Record<AmountRole, { strong: string[]; weak: string[] }> = {
  gross: {
    strong: splitPhrases(
      'total|grand total|invoice total|total amount|total incl vat|total including vat|total incl tax|total gross|gross total|gross amount|total for this invoice|total amount due|total due|total payable|invoice amount|total inc vat|total with tax|order total|gesamtbetrag|gesamtsumme|gesamtbetrag brutto|rechnungsbetrag|rechnungssumme|bruttosumme|bruttobetrag|brutto|endbetrag|endsumme|rechnungsbeitrag|summe inkl ust|summe inkl mwst|summe brutto|gesamt brutto|gesamt inkl mwst|gesamtbetrag inkl mwst|rechnungsendbetrag|gesamt|totaal|totaalbedrag|totaal incl btw|totaal inclusief btw|factuur totaal|factuurtotaal|factuurbedrag|totaal factuur|total ttc|montant ttc|montant total|montant total ttc|total toutes taxes comprises|razem brutto|wartość brutto|kwota brutto|suma brutto|razem|ogółem|importe total|total factura|totale|totale fattura|amount payable|net a payer|total a payer',
    ),
    weak: splitPhrases(
      'amount due|balance due|due payable|amount|zahlbetrag|te betalen|bedrag|à payer|solde à payer|do zapłaty|summe|total eur|total usd',
    ),
  },
  net: {
    strong: splitPhrases(
      'subtotal|sub total|net total|total net|net amount|total excl vat|total excluding vat|total before tax|taxable amount|net|total ex vat|netto|nettobetrag|nettosumme|summe netto|gesamt netto|netto gesamt|zwischensumme|zwischensumme netto|warenwert|rechnungssumme ohne ust|gesamtbetrag netto|gesamtbeitrag|summe ohne ust|summe positionen|subtotaal|totaal excl btw|totaal exclusief btw|netto bedrag|totaal netto|grondslag|total ht|montant ht|montant total ht|total hors taxes|sous total|razem netto|wartość netto|kwota netto|suma netto|base imponible|imponibile|taxable value|taxable base',
    ),
    weak: splitPhrases('total|charges|steuerbasisbetrag|basisbetrag|base ht|base|net amout|positionssumme'),
  },
  tax: {
    strong: splitPhrases(
      'tax|total tax|tax total|tax amount|vat|vat total|total vat|vat amount|sales tax|gst|total taxes|taxes|plus vat|btw|btw bedrag|totaal btw|bedrag btw|mwst|ust|umsatzsteuer|mehrwertsteuer|mwst betrag|ust betrag|zzgl mwst|zzgl ust|zuzügl ust|zuzüglich ust|steuerbetrag|steuerbetrag in|versicherungsteuer|versicherungssteuer|gesamt mwst|steuer|enthaltene mwst|tva|total tva|montant tva|taxe|podatek|podatek vat|kwota vat|vat razem|kwota podatku|iva|imposta',
    ),
    weak: splitPhrases('montant'),
  },
  due: {
    strong: splitPhrases(
      'amount due|balance due|total due|due payable|amount payable|balance|total amount due|outstanding|zahlbetrag|zu zahlen|zu zahlender betrag|restbetrag|offener betrag|te betalen|openstaand bedrag|nog te betalen|net à payer|solde à payer|reste à payer|à payer|do zapłaty|pozostało do zapłaty|importe a pagar',
    ),
    weak: splitPhrases('total|grand total|invoice total|bruttosumme|gesamtbetrag|totaal|total ttc|razem'),
  },
};
