import { describe, expect, it } from 'vitest';
import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { scoreRules } from '#src/builtin/classification/decide.ts';
import type { RuleEvidence } from '#src/builtin/classification/evidence.ts';
import { compareForms } from '#src/builtin/classification/forms/compare-forms.ts';
import { detectForms } from '#src/builtin/classification/forms/detect-forms.ts';
import type { Form } from '#src/builtin/classification/forms/names.ts';
import { readRules } from '#src/builtin/classification/read-rules.ts';
import { FITTED } from '#src/builtin/classification/weights.ts';
import { loadWordVectors } from '#src/builtin/word-vectors/word-vectors.ts';
import { loadWordWeight } from '#src/builtin/word-weight.ts';
import { measureLayout } from '#src/classification/document.ts';
import { textPage } from '#test/extraction/pages.ts';

const SLIP = `KIOSK AM HAFEN
Kaffee 2,40
Brot 1,10
Apfel 0,80
Summe 4,30
Bar 5,00
12.05.2031 08:14`;
const INVOICE = `Werft Okafor GmbH, Am Kai 3, 20457 Hamburg, Telefon 040 1234567
Rechnung Nr. 88 vom 7. Mai 2031
Stapellauf der Fähre mit allen Leistungen nach Angebot 1.200,00 EUR
Anstrich in zwei Lagen, Material und Arbeit 300,00 EUR
Umsatzsteuer 19 % auf den Nettobetrag 285,00 EUR
Rechnungsbetrag, zahlbar bis zum 21. Mai 2031 1.785,00 EUR`;
const CODE = `import { launch } from './ships';

export function start(name) {
  const ship = launch(name);
  if (!ship) {
    return undefined;
  }
  return ship.sail({ knots: 12 });
}`;
const SUBTITLES = `00:01 Ahoj, kapitáne.
00:04 Kam plujeme?
00:09 Na sever.`;
const TALK = `Ada: Where are we going?
Blaise: To the north.
Ada: Then we need coal.`;
const MAIL = `Von: Ada <ada@x.test>
An: Blaise <blaise@y.test>
Betreff: Boote

Bis Montag.`;
const RESUME = `Mira Okafor
mira@x.test
Chantier naval Alder
2019 – 2024 Chef de projet
2015 – 2019 Soudeuse
École de marine
2011 – 2015 Ingénierie
2009 – 2011 Dessin technique`;
const sentence = (end: string) =>
  `The harbour was closed for most of the winter because the ice had not melted before the ships came ${end}.`;
const PAPER = ['Abstract', ...Array.from({ length: 10 }, (_, k) => sentence(`home [${k + 1}]`))].join('\n');
const CONTRACT = [
  'This is made between Alder Works (the "Seller") and Birch Labs (the "Buyer") about the ship (the "Goods") named.',
  ...Array.from(
    { length: 8 },
    (_, k) => `${k + 1}. ${sentence('back, and each party shall bear its own costs')}`,
  ),
].join('\n');
const FORM = 'Name: ______\nBirthday: ______\n☐ Single\n☐ Married\nSignature: ______';

function detect(text: string, name?: string) {
  const document = { pages: [textPage(text)], name };
  const forms = detectForms(document, text, measureLayout(document, text));
  return [...forms].filter(([, strength]) => strength >= 0.5).map(([form]) => form);
}

describe('detectForms', () => {
  it.each<[Form, string]>([
    ['receipt', SLIP],
    ['invoice', INVOICE],
    ['code', CODE],
    ['subtitles', SUBTITLES],
    ['subtitles', TALK],
    ['email', MAIL],
    ['resume', RESUME],
    ['paper', PAPER],
    ['contract', CONTRACT],
    ['form', FORM],
  ])('recognizes the form %s by its lines', (form, text) => {
    expect(detect(text)).toContain(form);
  });

  it.each<[Form, string]>([
    ['subtitles', 'film.srt'],
    ['email', 'note.msg'],
    ['slides', 'talk.odp'],
    ['table', 'boats.xlsx'],
  ])('recognizes the form %s by the file format', (form, name) => {
    expect(detect(sentence('home'), name)).toEqual([form]);
  });

  it('recognizes slides by wide pages with few words', () => {
    const document = { pages: [{ ...textPage('Our plan\nGrow'), width: 960, height: 540 }] };
    expect(
      detectForms(document, 'Our plan\nGrow', measureLayout(document, 'Our plan\nGrow')).get('slides'),
    ).toBe(1);
  });

  it.each([
    'The violin concerto was played by a young soloist from Vienna.',
    'She worked there from 2015 to 2019, see a@x.test..',
    'Coffee was 2.40 at 8:14.',
  ])('finds no form in a single sentence: %s', (text) => expect(detect(text)).toEqual([]));

  it('finds no form in running text', () => {
    expect(detect([sentence('home'), sentence('in'), sentence('back')].join('\n'))).toEqual([]);
  });

  it('tells a till slip and an invoice apart', () => {
    expect(detect(SLIP)).not.toContain('invoice');
    expect(detect(INVOICE)).not.toContain('receipt');
  });
});

describe('compareForms', () => {
  const compare = async (rules: [string, string][], form: Form) => {
    const [vectors, wordWeight] = await Promise.all([loadWordVectors(), loadWordWeight()]);
    const described = rules.map(([type, description]) => ({ type, description }));
    const read = readRules(described, { rules: 'en', document: 'en' }, { vectors, wordWeight });
    return compareForms(read, new Map([[form, 1]]), vectors);
  };
  const KINDS: [string, string][] = [
    ['k1', 'An electronic mail with a sender.'],
    ['k2', 'Slides of a talk.'],
    ['k3', 'A program in source code.'],
  ];

  it('counts a form for the rule that names it', async () => {
    const { byRule, shown } = await compare(KINDS, 'slides');
    expect(byRule[1]!.form).toBeGreaterThan(0.7);
    expect(byRule[0]!.form).toBeLessThan(0.1);
    expect(shown).toEqual([undefined, 'slides', undefined]);
  });

  it('counts against a rule that the document lacks the form it names', async () => {
    const { byRule } = await compare(KINDS, 'slides');
    expect(byRule[0]!.missing).toBeGreaterThan(0.7);
    expect(byRule[1]!.missing).toBeLessThan(0.1);
  });

  it('counts a form that no rule names only if the rules name forms', async () => {
    expect((await compare(KINDS, 'receipt')).unnamed).toBeGreaterThan(0.4);
    const topics: [string, string][] = [
      ['sea', 'Ships, harbours and sailors.'],
      ['kitchen', 'Meals and how to cook them.'],
    ];
    const { unnamed, named } = await compare(topics, 'receipt');
    expect(unnamed).toBeLessThan(0.01);
    expect(named).toBeLessThan(0.05);
    expect((await compare(KINDS, 'receipt')).named).toBeGreaterThan(0.8);
  });
});

describe('scoreRules', () => {
  const evidence = { words: 0, spelling: 0, meaning: 0, votes: 0, opening: 1, form: 1, missing: 1 };
  const score = (namedForms: number) =>
    scoreRules({ byRule: [evidence], namedForms } as RuleEvidence, FITTED)[0]!;

  it('ignores the form and the beginning of a document if the rules name no forms', () => {
    expect(score(0)).toBe(0);
  });

  it('counts the form and the beginning of a document as much as the rules name forms', () => {
    expect(score(1)).toBeGreaterThan(1);
    expect(score(0.5)).toBeCloseTo(score(1) / 2);
  });
});

describe('classifyBuiltin by forms', () => {
  const RULES = [
    { type: 'invoice', description: 'A request to pay for goods or services.' },
    { type: 'receipt', description: 'What a shop hands out after a purchase was paid.' },
    { type: 'program', description: 'The source code of a program.' },
    { type: 'manual', description: 'Instructions for a device or a program.' },
    { type: 'resume', description: 'The career of a person who looks for a job.' },
    { type: 'agreement', description: 'A contract between two parties.' },
  ];

  it.each([
    ['receipt', SLIP],
    ['invoice', INVOICE],
    ['program', CODE],
    ['resume', RESUME],
    ['agreement', CONTRACT],
  ])('answers %s', async (type, text) => {
    expect((await classifyBuiltin(RULES, { pages: [textPage(text)] })).type).toBe(type);
  });
});
