import { getAnalysis } from '#src/builtin/terms.ts';
import type { Meaning, WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import type { WordWeight } from '#src/builtin/word-weight.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { getCommonWords } from '#src/languages/registry.ts';
import { fold } from '#src/lib/text/words.ts';

/**
 * Names of business documents and common words on them, in languages other than English. The word vectors are
 * English, so without this list an English rule would match a Polish invoice by its numbers only. The list
 * adds a meaning to a word and decides nothing by itself.
 */
const OFFICE_WORDS: Record<string, string> = {
  invoice: 'rechnung facture factuur faktura faktury factura fattura fatura rechnungsnummer factuurnummer',
  receipt: 'quittung kassenbon kassabon recu recibo ricevuta paragon bon scontrino',
  contract: 'vertrag contrat contrato contratto overeenkomst umowa umowy vereinbarung',
  order: 'bestellung auftrag commande pedido ordine bestelling zamowienie encomenda',
  offer: 'angebot devis oferta preventivo offerte presupuesto orcamento',
  delivery: 'lieferung lieferschein livraison entrega consegna levering dostawa',
  payment: 'zahlung zahlungsbedingungen paiement pago pagamento betaling platnosc platnosci',
  amount: 'betrag montant importe importo bedrag kwota valor',
  tax: 'steuer umsatzsteuer mwst tva iva btw podatek imposto impuesto',
  buyer: 'kaufer acheteur comprador acquirente koper nabywca kunde klant cliente klient',
  seller:
    'verkaufer vendeur vendedor venditore verkoper sprzedawca lieferant fournisseur proveedor fornitore',
  salary: 'gehalt lohn salaire salario stipendio salaris wynagrodzenie gehaltsabrechnung',
  employment: 'arbeit arbeitsvertrag emploi empleo lavoro werk praca zatrudnienie berufserfahrung',
  education: 'ausbildung formation formacion formazione opleiding wyksztalcenie formacao',
  insurance: 'versicherung assurance seguro assicurazione verzekering ubezpieczenie',
  lease: 'miete mietvertrag bail loyer alquiler affitto huur najem',
  letter: 'brief schreiben lettre carta lettera list',
  report: 'bericht rapport informe rapporto verslag raport relatorio',
  minutes: 'protokoll notulen verbale acta ata protokol',
  confidential: 'vertraulich vertrauliche confidentiel confidencial riservato vertrouwelijk poufne poufnosci',
  account: 'konto kontoauszug compte cuenta conto rekening conta rachunek',
};

const ENGLISH = new Map(
  Object.entries(OFFICE_WORDS).flatMap(([english, others]) =>
    others.split(' ').map((word) => [word, english]),
  ),
);

/**
 * Returns the English word for a folded word of another language, or `undefined` if the word is not in the
 * list.
 */
const translateOfficeWord = (word: string): string | undefined => ENGLISH.get(word);

/** A word, in the form in which rules and documents are compared. */
export interface Term {
  /** The word in lower case. */
  word: string;
  /** Stem of the word. Two texts share a term if they share its stem. */
  key: string;
  /** How informative the word is in general, from 0.05 to 1. */
  weight: number;
  meaning: Meaning | undefined;
}

/** Knowledge about words that does not depend on a document. */
export interface Knowledge {
  vectors: WordVectors;
  wordWeight: WordWeight;
}

export interface Languages {
  rules: string;
  document: string;
}

const SAMPLE = 4_000;

/**
 * Detects the languages of the rules and the document. The document counts as written in another language
 * than the rules only if that language has at least two more common words in it.
 */
export function detectLanguages(rules: string, document: string): Languages {
  const ofRules = detectLanguage(rules) ?? 'en';
  const detected = detectLanguage(document) ?? ofRules;
  const found =
    document
      .slice(0, SAMPLE)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const common = (language: string) => {
    const words = new Set(getCommonWords(language));
    return words.size === 0 ? found.length : found.filter((word) => words.has(word)).length;
  };
  const isSure = detected === ofRules || common(detected) > common(ofRules) + 1;
  return { rules: ofRules, document: isSure ? detected : ofRules };
}

/**
 * Returns the terms of a text in order, without stop words and plain numbers. The terms are stemmed by the
 * rules of the document's language (`stemmed`), so that rules in other languages can match them.
 */
export function listTerms(text: string, language: string, knowledge: Knowledge, stemmed = language): Term[] {
  const common = new Set([...getCommonWords(language), ...getCommonWords(stemmed)]);
  const known = new Map<string, Term>();
  const terms: Term[] = [];
  for (const { word, term: key } of getAnalysis(stemmed, text).tokens(text)) {
    if (word.length < 2 || common.has(word) || /^\d+$/.test(word)) continue;
    let term = known.get(word);
    if (!term) {
      const meaning = findMeaning(word, language, knowledge);
      term = { word, key, weight: knowledge.wordWeight(word), meaning };
      known.set(word, term);
    }
    terms.push(term);
  }
  return terms;
}

/**
 * Returns the meaning of a word, or `undefined` if it is unknown. A bill often has too few words to detect
 * its language, so words that are not English are also looked up in `OFFICE_WORDS`.
 */
function findMeaning(word: string, language: string, { vectors }: Knowledge): Meaning | undefined {
  const meaning = vectors.findMeaning(word, language);
  if (meaning && language === 'en') return meaning;
  const english = translateOfficeWord(fold(word));
  return english === undefined ? meaning : vectors.findMeaning(english, 'en');
}
