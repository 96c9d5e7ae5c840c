import { describe, expect, it } from 'vitest';
import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { BILL, tableBlock, textPage } from '#test/jobs/pages.ts';

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
  ])('recognises %s', (type, pages, name) => {
    const result = classifyBuiltin(RULES, { pages, name });
    expect(result.type).toBe(type);
    expect(result.confidence).toBeGreaterThan(0.5);
    expect(result.confidence).toBeLessThanOrEqual(0.99);
  });

  it.each([
    [
      'Rechnung Nr. 88 vom 7. Mai 2031\nUmsatzsteuer 19 %\nZahlungsbedingungen: 14 Tage netto\nIBAN DE89370400440532013000',
    ],
    ['Factuur\nFactuurnummer 88\nFactuurdatum 7 mei 2031\nBTW 21%\nTotaal € 12,00'],
    ['Facture FA-88\nDate de facture 07/05/2031\nTotal HT 10,00 €\nTVA 2,00 €\nTotal TTC 12,00 €'],
    ['Faktura VAT nr 88\nTermin płatności 7 maja 2031\nRazem netto 10,00 zł'],
  ])('recognises bills of other languages: %s', (text) => {
    expect(classifyBuiltin(RULES, { pages: [textPage(text)] }).type).toBe('invoice');
  });

  it('follows rules of its own kind by their words', () => {
    const rules = [
      { type: 'berth permit', description: 'A harbour permit that lets a vessel use a berth.' },
      { type: 'tide table', description: 'Times of high water and low water at a port.' },
    ];
    const permit = textPage(
      'Harbour office\nBerth permit for the vessel Marianne. This permit is valid until May.',
    );
    expect(classifyBuiltin(rules, { pages: [permit] }).type).toBe('berth permit');
  });

  it('answers null when no rule fits, and says so', () => {
    const result = classifyBuiltin(RULES, {
      pages: [textPage('Tides rise and fall twice a day under the pull of the moon.')],
    });
    expect(result.type).toBeNull();
    expect(result.reasoning).toMatch(/^No rule has enough evidence/);
    expect(classifyBuiltin(RULES, { pages: [textPage('')] }).type).toBeNull();
  });

  it('quotes evidence that is in the document', () => {
    const { reasoning } = classifyBuiltin(RULES, { pages: [textPage('Cover', [], 0), textPage(NDA, [], 1)] });
    const quoted = [...reasoning.matchAll(/found "([^"]+)" on page (\d)/g)];
    expect(quoted.length).toBeGreaterThan(0);
    for (const [, words, page] of quoted) {
      expect(NDA.toLowerCase()).toContain(words!.toLowerCase());
      expect(page).toBe('2');
    }
  });
});
