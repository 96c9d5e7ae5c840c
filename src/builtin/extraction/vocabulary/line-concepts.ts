import { type Concept, createConcept } from './concept.ts';

/** Kinds of columns in tables of articles and services on bills and orders. Earlier kinds take precedence. */
export const LINE_CONCEPTS: Concept[] = [
  createConcept(
    'line_number',
    'number',
    /\b(pos|position|line|row|item) ?(no|nr|number|num|index)\b|^pos(ition)?$|^#$/,
    'pos|position|line|no|nr|#|lp|regel|item no',
  ),
  createConcept(
    'article_number',
    'identifier',
    /\b(article|product|item|part|sku|ean|gtin|artikel)\b.{0,100}\b(number|no|nr|id|code|sku)\b|\bsku\b|^(ean|gtin|code)$/,
    'article number|article no|art no|item no|item number|item code|product code|product no|sku|part number|code|ref|réf|référence|reference|artikel|artikelnummer|artikelnr|art nr|art nr kunde|art nr lief|artnr|kod|indeks|ean|hsn|hsn code',
  ),
  createConcept(
    'line_tax_rate',
    'percent',
    /\b(tax|vat|gst|btw|tva|ust|mwst)\b.{0,100}\b(rate|percent\w*|pct)\b|^(vat|tax|taxes|btw|tva|ust|mwst)$/,
    'vat|vat %|tax|taxes|tax %|tax rate|vat rate|gst|gst %|btw|btw %|ust|ust %|mwst|mwst %|tva|tva %|stawka|stawka vat|vat stawka',
  ),
  createConcept(
    'line_tax',
    'money',
    /\b(tax|vat|gst)\b.{0,100}\bamount\b|amount of (tax|vat)/,
    'tax amount|vat amount|btw bedrag|ust betrag|mwst betrag|steuerbetrag|montant tva|kwota vat',
  ),
  createConcept(
    'unit_price',
    'money',
    /\b(unit|price per|per unit|each|single|piece)\b.{0,100}\bprice\b|\bprice\b.{0,100}\b(unit|each|per)\b|^(unit )?price$|\brate\b|\bprice\b/,
    'unit price|price|price per unit|unit cost|rate|each|price each|cost|prijs|stukprijs|prijs per stuk|eenheidsprijs|tarief|einzelpreis|preis|nettopreis|stückpreis|vk preis|e preis|ep|preis pro einheit|einzelpreis netto|prix unitaire|prix|pu|pu ht|p u|prix unit|prix unitaire ht|cena|cena jedn|cena netto|cena jednostkowa|precio|prezzo',
  ),
  createConcept(
    'line_total',
    'money',
    /\b(total|amount|sum|subtotal|net amount|value|charge)\b/,
    'amount|total|line total|total price|net amount|net|line amount|extended price|subtotal|sum|value|total amount|charge|charges|bedrag|totaal|regeltotaal|netto bedrag|summe|betrag|gesamt|gesamtpreis|zeilenbetrag|positionsbetrag|positions betrag|positions betrag ohne ust|netto|netto betrag|nettobetrag|g preis|gp|prix ht|montant|montant ht|total ht|prix total|montant net|wartość|wartość netto|wartość brutto|kwota|razem|importe|importo',
  ),
  createConcept(
    'quantity',
    'number',
    /\b(quantity|qty|count|units?|pieces|hours|menge|aantal|quantite|ilosc)\b/,
    'quantity|qty|qty.|units|hours|pcs|pieces|no of units|aantal|hoeveelheid|stuks|menge|anzahl|stück|stk|quantité|qté|qte|ilość|cantidad|quantità|amount',
  ),
  createConcept(
    'unit',
    'text',
    /\b(unit|uom|measure)\b/,
    'unit|uom|unit of measure|eenheid|einheit|einh|me|unité|jm|j m|jedn',
  ),
  createConcept(
    'line_description',
    'text',
    /\b(description|name|item|product|article|service|designation|title|label|what)\b/,
    'description|item|items|product|product name|service|services|article|details|particulars|item description|product description|name|activity|omschrijving|artikel|product omschrijving|artikelomschrijving|beschrijving|dienst|beschreibung|bezeichnung|artikelbezeichnung|leistung|leistungsbeschreibung|produkt|text|désignation|description|libellé|article|produit|nazwa|nazwa towaru|nazwa towaru lub usługi|nazwa usługi|opis|towar usługa|descripción|concepto|descrizione',
  ),
];
