import { describe, expect, it } from 'vitest';
import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { BILL, tableBlock, textPage } from '#test/extraction/pages.ts';

const RULES = [
  { type: 'invoice', description: 'A bill from a seller to a buyer with a number, a date and amounts.' },
  { type: 'resume', description: "A person's work experience, education and skills." },
  { type: 'nda', description: 'A contract in which parties agree to keep information confidential.' },
  { type: 'email', description: 'An electronic mail message with sender and subject.' },
  { type: 'slides', description: 'A slide presentation with short titled pages.' },
  { type: 'data_table', description: 'Rows and columns of data without running text.' },
];

const NDA = `MUTUAL NON-DISCLOSURE AGREEMENT
This agreement is made between Alder Works and Birch Labs. Each party (the "Receiving Party") shall not disclose
Confidential Information of the Disclosing Party, except to its Representatives. Governing law is that of Utopia.`;
const CV = `Mira Okafor
Curriculum Vitae
Work experience
2019 - 2024 Ship builder at Alder Works
Education
Master of Engineering, University of Utopia
Skills
Welding, drawing`;

const classify = (rules: typeof RULES, text: string, name?: string) =>
  classifyBuiltin(rules, { pages: [textPage(text)], name });

describe('classifyBuiltin', () => {
  it.each([
    ['invoice', [BILL], undefined],
    ['nda', [textPage(NDA)], undefined],
    ['resume', [textPage(CV)], undefined],
    ['email', [textPage('From: a@x.test\nTo: b@x.test\nSubject: Boats\n\nSee you on Monday.')], 'note.eml'],
    ['slides', [{ ...textPage('Our plan\nGrow\nShip'), width: 960, height: 540 }], undefined],
    [
      'data_table',
      [
        textPage('id\tname\tlength\n1\tAda\t12.5\n2\tBlaise\t9.1', [
          tableBlock([
            ['id', 'name', 'length'],
            ['1', 'Ada', '12.5'],
            ['2', 'Blaise', '9.1'],
          ]),
        ]),
      ],
      'boats.csv',
    ],
  ])('recognizes %s', async (type, pages, name) => {
    const result = await classifyBuiltin(RULES, { pages, name });
    expect(result.type).toBe(type);
    expect(result.confidence).toBeGreaterThan(0.5);
    expect(result.confidence).toBeLessThanOrEqual(0.97);
  });

  it('matches words by meaning when rule and document share no word', async () => {
    const rules = [
      { type: 'kitchen', description: 'Recipes, meals and how to cook them.' },
      { type: 'sea', description: 'Ships, harbours and sailors.' },
    ];
    const boiled = 'Fry the onions in butter, add garlic and simmer the sauce until the potatoes are tender.';
    const sailed = 'The captain steered the vessel past the lighthouse while the crew lowered the anchor.';
    expect((await classify(rules, boiled)).type).toBe('kitchen');
    const { type, reasoning } = await classify(rules, sailed);
    expect(type).toBe('sea');
    expect(reasoning).toMatch(/similar in meaning: .*"vessel" on page 1/);
  });

  it.each([
    ['bill', 'Rechnung Nr. 88\nBitte überweisen Sie den Betrag von 12,00 Euro bis zum 7. Mai.'],
    ['bill', 'Facture FA-88\nMontant à payer : 12,00 €'],
    ['lease', 'Mietvertrag\nDer Vermieter überlässt dem Mieter die Wohnung im zweiten Stock.'],
  ])('matches foreign words that a rule quotes: %s', async (type, text) => {
    const rules = [
      { type: 'bill', description: "A request to pay an amount: 'Rechnung', 'facture'." },
      { type: 'lease', description: "A contract about renting a home: 'Mietvertrag', 'bail'." },
    ];
    expect((await classify(rules, text)).type).toBe(type);
  });

  it.each([
    [
      'Rechnung Nr. 88 vom 7. Mai 2031\nUmsatzsteuer 19 %\nZahlungsbedingungen: 14 Tage netto\nIBAN DE89370400440532013000',
    ],
    ['Factuur\nFactuurnummer 88\nFactuurdatum 7 mei 2031\nBTW 21%\nTotaal € 12,00'],
    ['Facture FA-88\nDate de facture 07/05/2031\nTotal HT 10,00 €\nTVA 2,00 €\nTotal TTC 12,00 €'],
    ['Faktura VAT nr 88\nTermin płatności 7 maja 2031\nRazem netto 10,00 zł'],
  ])('matches invoices in other languages by English rules: %s', async (text) => {
    expect((await classify(RULES, text)).type).toBe('invoice');
  });

  it('matches rules and documents in German, including inflected forms and compounds', async () => {
    const rules = [
      { type: 'wetter', description: 'Vorhersagen von Regen, Sturm und Temperatur.' },
      { type: 'verkehr', description: 'Meldungen über Staus, Baustellen und gesperrte Strassen.' },
    ];
    const weather = 'Am Abend ziehen Sturmböen auf, dazu gibt es Regenschauer bei sinkenden Temperaturen.';
    const roads = 'Die Hauptstrasse ist wegen einer Baustelle in beide Richtungen gesperrt.';
    expect((await classify(rules, weather)).type).toBe('wetter');
    expect((await classify(rules, roads)).type).toBe('verkehr');
  });

  it('matches an unknown word by spelling when its form differs', async () => {
    const rules = [
      { type: 'k1', description: 'Notices about a quimperot.' },
      { type: 'k2', description: 'Notices about a zorbanel.' },
    ];
    expect((await classify(rules, 'The zorbanelsticks came on Monday.')).type).toBe('k2');
  });

  it.each([
    ['pl', 'Pokrój marchewkę i cebulę, usmaż na maśle, dodaj ziemniaki, ser i pieprz.'],
    ['ja', '人参と玉ねぎを切ってバターで炒め、じゃがいもとチーズと胡椒を加えます。'],
    ['de', 'Karotten und Zwiebeln schneiden, in Butter braten, mit Käse und Kartoffeln servieren.'],
  ])('matches words of other languages by meaning: %s', async (_, text) => {
    const rules = [
      { type: 'flight', description: 'Aircraft, airports and pilots.' },
      { type: 'kitchen', description: 'Recipes, meals and how to cook them.' },
    ];
    expect((await classify(rules, text)).type).toBe('kitchen');
  });

  it('does not count excluded terms of a rule as evidence for the rule', async () => {
    const rules = [
      { type: 'order', description: 'A purchase order for goods, not an invoice or a receipt.' },
      { type: 'bill', description: 'An invoice, or a receipt for what has been paid.' },
    ];
    expect((await classify(rules, 'Invoice 88\nReceipt of payment')).type).toBe('bill');
    const { reasoning } = await classify(rules, 'Purchase order 88: twelve barrels, see the invoice');
    expect(reasoning).toMatch(/^Matches "order"/);
    expect(reasoning.split('The second-best')[0]).not.toContain('"invoice"');
  });

  it('uses the file name as evidence', async () => {
    const { type } = await classify(RULES, 'Mira Okafor, 7 May 2031', 'mira_okafor_resume.pdf');
    expect(type).toBe('resume');
  });

  it('applies rules for unusual document types by their words', async () => {
    const rules = [
      { type: 'berth permit', description: 'A harbour permit that lets a vessel use a berth.' },
      { type: 'tide table', description: 'Times of high water and low water at a port.' },
    ];
    const permit = 'Harbour office\nBerth permit for the vessel Marianne. This permit is valid until May.';
    expect((await classify(rules, permit)).type).toBe('berth permit');
  });

  it.each(['The violin concerto was played by a young soloist from Vienna.', '', '12 345 6789'])(
    'returns null and explains that no rule fits: %j',
    async (text) => {
      const result = await classify(RULES, text);
      expect(result.type).toBeNull();
      expect(result.reasoning).toMatch(/^No rule has enough evidence/);
      expect(result.confidence).toBeGreaterThanOrEqual(0.5);
    },
  );

  it.each([1, 2])('returns null when none of few rules fits: %i', async (count) => {
    const rules = [
      {
        type: 'recipe',
        description: 'Instructions for cooking a dish, with ingredients and preparation steps.',
      },
      {
        type: 'invoice',
        description: 'A bill that asks for payment, with an invoice number and a total amount due.',
      },
    ];
    const sea = 'The sea was calm and the gulls were silent over the bay.';
    const meal = 'Fry the onions in butter, add garlic and simmer the sauce until the potatoes are tender.';
    expect((await classify(rules.slice(0, count), sea)).type).toBeNull();
    expect((await classify(rules.slice(0, count), meal)).type).toBe('recipe');
  });

  it.each([
    ['other', 'Whatever comes in besides.'],
    ['k7', 'Anything else.'],
  ])('assigns unmatched documents to a catch-all rule: %s', async (type, description) => {
    const rules = [...RULES, { type, description }];
    const concerto = 'The violin concerto was played by a young soloist from Vienna.';
    expect((await classify(rules, concerto)).type).toBe(type);
    expect((await classify(rules, NDA)).type).toBe('nda');
    expect((await classify(rules.slice(-1), concerto)).type).toBe(type);
  });

  it('quotes evidence that occurs in the document', async () => {
    const pages = [textPage('Cover', [], 0), textPage(NDA, [], 1)];
    const { reasoning } = await classifyBuiltin(RULES, { pages });
    const quoted = [...reasoning.split('The second-best')[0]!.matchAll(/"([^"]+)" on page (\d)/g)];
    expect(quoted.length).toBeGreaterThan(2);
    for (const [, words, page] of quoted) {
      expect(NDA).toContain(words!);
      expect(page).toBe('2');
    }
  });
});
