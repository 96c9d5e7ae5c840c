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
export const officeWord = (word: string): string | undefined => ENGLISH.get(word);
