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
const PAID_IN_CASH = SLIP.replace('12.05.2031 08:14', 'Rück 0,70');
const JAPANESE_SLIP = `港の売店
コーヒー ¥240
パン ¥110
りんご ¥80
合計 ¥430
お預り ¥1,000
お釣り ¥570`;
const JAPANESE_RESUME = `山田花子
hanako@x.test
2019年4月～2024年3月 造船所で船体の設計を担当
2015年4月～2019年3月 溶接工として勤務
2011年4月～2015年3月 海洋大学で工学を専攻
2009年4月～2011年3月 製図を学ぶ`;
const JAPANESE_TALK = `田中：どこへ行きますか。
山田：北へ行きます。
田中：石炭が要りますね。`;
const CHINESE_CONTRACT = [
  '本合同由甲方（以下简称“卖方”）与乙方（以下简称“买方”）就船舶（以下简称“货物”）的买卖订立。',
  ...Array.from(
    { length: 8 },
    (_, k) =>
      `第${k + 1}条 双方应当各自承担因履行本合同而发生的全部费用，${'并及时通知对方有关船舶的情况，'.repeat(3)}不得拖延。`,
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
    ['receipt', PAID_IN_CASH],
    ['receipt', JAPANESE_SLIP],
    ['resume', JAPANESE_RESUME],
    ['subtitles', JAPANESE_TALK],
    ['contract', CHINESE_CONTRACT],
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

  it('needs several quotations for news, also in a short text', () => {
    const said = (count: number) =>
      Array.from(
        { length: count },
        () => `"The harbour stays closed until the spring," said the mayor. ${sentence('home')}`,
      );
    expect(detect(said(3).join('\n'))).toEqual(['news']);
    expect(detect(said(1).join('\n'))).toEqual([]);
    const names = Array.from({ length: 3 }, (_, k) => `The ship "Alder ${k}" came home. ${sentence('home')}`);
    expect(detect(names.join('\n'))).toEqual([]);
  });

  it('measures the quotations of Chinese and Japanese texts by their width', () => {
    const said =
      '市長は「春まで港は閉鎖されたままです」と述べた。冬の間ずっと氷が溶けなかったため、船は港に入ることができなかった。';
    expect(detect([said, said, said].join('\n'))).toEqual(['news']);
    expect(detect(said)).toEqual([]);
  });

  it('does not take net, tax and gross amounts for a payment in cash', () => {
    const bill = PAID_IN_CASH.replace(
      'Summe 4,30\nBar 5,00\nRück 0,70',
      'Netto 4,30\nSteuer 0,70\nSumme 5,00',
    );
    expect(detect(bill)).not.toContain('receipt');
  });

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
    const { unnamed, separating } = await compare(topics, 'receipt');
    expect(unnamed).toBeLessThan(0.01);
    expect(separating).toBeLessThan(0.05);
    expect((await compare(KINDS, 'receipt')).separating).toBeGreaterThan(0.8);
  });

  it('does not separate rules by a form that all of them name', async () => {
    const contracts: [string, string][] = [
      ['lease contract', 'Renting out a home.'],
      ['supply contract', 'Delivery of goods.'],
      ['loan contract', 'Money that is lent.'],
    ];
    const { unnamed, separating } = await compare(contracts, 'slides');
    expect(separating).toBeLessThan(0.05);
    expect(unnamed).toBeGreaterThan(0.4);
    expect((await compare(contracts.slice(0, 1), 'slides')).separating).toBeGreaterThan(0.8);
  });
});

describe('scoreRules', () => {
  const evidence = { words: 0, spelling: 0, meaning: 0, votes: 0, opening: 1, form: 1, missing: 1 };
  const score = (separatingForms: number) =>
    scoreRules({ byRule: [evidence], separatingForms } as RuleEvidence, FITTED)[0]!;

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
