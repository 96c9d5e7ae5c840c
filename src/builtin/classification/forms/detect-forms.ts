import type { ClassifyDocument, LayoutFeatures } from '#src/classification/document.ts';
import type { Form, FormStrengths } from './names.ts';
import { measureTraits, type Traits } from './traits.ts';

const BY_EXTENSION: Record<string, Form> = {
  vtt: 'subtitles', srt: 'subtitles', sbv: 'subtitles', ass: 'subtitles', ttml: 'subtitles',
  eml: 'email', msg: 'email', mbox: 'email',
  ppt: 'slides', pptx: 'slides', pptm: 'slides', odp: 'slides', key: 'slides',
  csv: 'table', tsv: 'table', xls: 'table', xlsx: 'table', xlsm: 'table', xlsb: 'table', ods: 'table', numbers: 'table',
  ipynb: 'code',
};

/** Detects the forms of a document from its file format, its layout and the shape of its lines. */
export function detectForms(document: ClassifyDocument, text: string, layout: LayoutFeatures): FormStrengths {
  const traits = measureTraits(document, text);
  const strengths = new Map<Form, number>();
  const add = (form: Form, strength: number) => {
    const held = Math.min(1, strength);
    if (held > (strengths.get(form) ?? 0)) strengths.set(form, held);
  };
  const format = BY_EXTENSION[layout.extension];
  if (format) add(format, 1);
  if (traits.wordCount === 0) return strengths;
  const share = (value: number, enough: number) => Math.min(1, value / enough);
  if (format === undefined) {
    add('code', traits.codeShare > 0.5 ? 1 : share(traits.codeLines, 0.5) ** 2);
    if ((strengths.get('code') ?? 0) > 0.5) return strengths;
    add('subtitles', Math.max(share(traits.timedLines, 0.2), share(traits.spokenLines, 0.5)) ** 2);
    if (traits.mailHeads > 1) add('email', 1);
    if (layout.landscape > 0.6 && layout.wordsPerPage < 220) add('slides', 1);
    if (layout.sentencesPerHundredWords < 2) add('table', share(layout.tableLines, 0.8) ** 2);
    addBills(traits, add);
    addWritings(traits, layout, add);
  }
  return strengths;
}

function addBills(traits: Traits, add: (form: Form, strength: number) => void): void {
  if (traits.amountLines < 2) return;
  const bill = Math.min(1, Math.max(traits.amountShare / 0.15, traits.amountLines / 8)) * (1 - traits.proseShare);
  const slip = traits.lineLength < 32 && traits.wordCount < 500 ? 1 : 0.2;
  const timed = traits.clockTimes > 0 ? 1 : 0.4;
  add('receipt', bill * slip * timed);
  add('invoice', bill * (1 - slip * timed));
}

function addWritings(traits: Traits, layout: LayoutFeatures, add: (form: Form, strength: number) => void): void {
  const { proseShare, wordCount, extension } = { ...traits, ...layout };
  const citations = (traits.citations * wordCount) / 1000;
  add('resume', Math.min(1, traits.periods / 4) * (traits.hasContact ? 1 : 0.4) * (citations < 5 && wordCount < 3000 ? 1 : 0.2));
  add('paper', Math.max(Math.min(1, citations / 8, traits.citations / 4), traits.hasAbstract ? 0.6 : 0) * proseShare);
  add('contract', Math.min(1, traits.definitions / 4 + traits.clauses / 0.15) * proseShare * (wordCount > 150 ? 1 : 0));
  add('form', Math.min(1, traits.blanks / 0.3));
  if (extension.startsWith('htm')) add('web', 0.3 + 0.5 * traits.shortLines);
  if (/^(?:md|rst|adoc|asciidoc)$/.test(extension)) add('manual', 0.6);
  const examples = traits.codeShare > 0.03 && traits.codeShare < 0.5 ? 0.4 : 0;
  add('manual', 0.6 * Math.min(1, traits.steps / 0.2) + examples);
  if (wordCount < 3000) add('news', Math.min(0.8, traits.quotations / 4) * proseShare);
  if (traits.hasSalutation) add('letter', 0.7 * proseShare);
}
