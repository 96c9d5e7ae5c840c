import { analysisFor } from '#src/builtin/terms.ts';
import type { Meaning, WordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import type { WordWeight } from '#src/builtin/word-weight.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { getCommonWords } from '#src/languages/registry.ts';
import { fold } from '#src/lib/text/words.ts';

/**
 * What papers of trade and work are called, and what stands on most of them, in
 * languages other than English. Word vectors are English, so without it an English rule meets an invoice in Polish by
 * its numbers only. It adds a meaning to a word and decides nothing by itself.
 */
const WORDS: Record<string, string> = {
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
  Object.entries(WORDS).flatMap(([english, others]) => others.split(' ').map((word) => [word, english])),
);

/** The English word for a folded one of another language. */
const officeWord = (word: string): string | undefined => ENGLISH.get(word);

/** A word as rules and documents are compared by. */
export interface Term {
  /** As it is written, in lower case. */
  word: string;
  /** Its stem: two texts share the term when they share this. */
  key: string;
  /** How much it says anywhere, 0.05..1. */
  weight: number;
  meaning: Meaning | undefined;
}

/** What is known of words before any document is seen. */
export interface Knowledge {
  vectors: WordVectors;
  wordWeight: WordWeight;
}

/** The languages of the rules and of the document. */
export interface Languages {
  rules: string;
  document: string;
}

const SAMPLE = 4_000;

/** A short text is taken for one in the rules' language unless two words more speak for another one. */
export function languagesOf(rules: string, document: string): Languages {
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
 * The terms of a text in order, without stop words and bare numbers. Keys are made by the rules of `stemmed`, the
 * language of the document, so that those of a rule in another language can meet them.
 */
export function termsOf(text: string, language: string, knowledge: Knowledge, stemmed = language): Term[] {
  const common = new Set([...getCommonWords(language), ...getCommonWords(stemmed)]);
  const known = new Map<string, Term>();
  const terms: Term[] = [];
  for (const { word, term: key } of analysisFor(stemmed, text).tokens(text)) {
    if (word.length < 2 || common.has(word) || /^\d+$/.test(word)) continue;
    let term = known.get(word);
    if (!term) {
      const meaning = meaningOf(word, language, knowledge);
      term = { word, key, weight: knowledge.wordWeight(word), meaning };
      known.set(word, term);
    }
    terms.push(term);
  }
  return terms;
}

/** Few words of a bill tell its language: one that English does not have is looked for in others too. */
function meaningOf(word: string, language: string, { vectors }: Knowledge): Meaning | undefined {
  const meaning = vectors.meaningOf(word, language);
  if (meaning && language === 'en') return meaning;
  const english = officeWord(fold(word));
  return english === undefined ? meaning : vectors.meaningOf(english, 'en');
}
