import type { ClassifyDocument, LayoutFeatures } from '#src/classification/document.ts';
import type { Form, FormStrengths } from './names.ts';
import { measureTraits, type Traits } from './traits.ts';

/** Form of a file format that is used for this form only, by file extension. */
const FORM_BY_EXTENSION = new Map<string, Form>(
  (
    [
      ['subtitles', 'vtt srt sbv ass ttml'],
      ['email', 'eml msg mbox'],
      ['slides', 'ppt pptx pptm odp key'],
      ['table', 'csv tsv xls xlsx xlsm xlsb ods numbers'],
      ['code', 'ipynb'],
    ] as const
  ).flatMap(([form, extensions]) => extensions.split(' ').map((each): [string, Form] => [each, form])),
);
const MARKUP = /^(?:md|rst|adoc|asciidoc)$/;

/**
 * Values of traits at which a form is certain. A lower value makes the form less strong in proportion. The values
 * describe typical documents: about every seventh line of a bill ends with an amount, for example.
 */
const ENOUGH = {
  codeLines: 0.5,
  timedLines: 0.2,
  spokenLines: 0.5,
  tableLines: 0.8,
  amountShare: 0.15,
  amountLines: 8,
  periods: 4,
  citations: 8,
  citationsPerThousand: 4,
  definitions: 3,
  clauses: 0.3,
  blanks: 0.3,
  steps: 0.2,
  quotations: 3,
  quotationRate: 4,
};
/** Maximum strength of a form whose evidence other forms may show too. */
const WEAK = 0.6;
/** Strength factor of a form that lacks one of its two marks. */
const HALF = 0.4;
/** Longest till slip, in words, and its widest typical line, in Latin letters. */
const SLIP = { words: 500, width: 32 };
/** Longest resume, letter or article, in words. Longer documents contain such parts without being one. */
const SHORT_WRITING = 3_000;
const SHORTEST_CONTRACT = 150;
/** Share of code blocks from which a text explains a program. A few words in the type of code do not count. */
const SOME_CODE = 0.03;

type Add = (form: Form, strength: number) => void;
const reach = (value: number, enough: number) => Math.min(1, value / enough);

/** Detects the forms of a document from its file format, its layout and the shape of its lines. */
export function detectForms(document: ClassifyDocument, text: string, layout: LayoutFeatures): FormStrengths {
  const strengths = new Map<Form, number>();
  const format = FORM_BY_EXTENSION.get(layout.extension);
  if (format) return strengths.set(format, 1);
  const traits = measureTraits(document, text);
  if (traits.wordCount === 0) return strengths;
  const add: Add = (form, strength) => {
    if (strength > (strengths.get(form) ?? 0)) strengths.set(form, strength);
  };
  // A text that is mostly code has no other form. Its comments and strings may look like one.
  const code = traits.codeShare > 0.5 ? 1 : reach(traits.codeLines, ENOUGH.codeLines) ** 2;
  add('code', code);
  if (code > 0.5) return strengths;
  addLayouts(traits, layout, add);
  addBills(traits, add);
  addWritings(traits, layout.extension, add);
  return strengths;
}

function addLayouts(traits: Traits, layout: LayoutFeatures, add: Add): void {
  const timed = reach(traits.timedLines, ENOUGH.timedLines);
  add('subtitles', Math.max(timed, reach(traits.spokenLines, ENOUGH.spokenLines)) ** 2);
  if (traits.mailHeads > 1) add('email', 1);
  if (layout.landscape > 0.6 && layout.wordsPerPage < 220) add('slides', 1);
  if (layout.sentencesPerHundredWords < 2) add('table', reach(layout.tableLines, ENOUGH.tableLines) ** 2);
  add('form', reach(traits.blanks, ENOUGH.blanks));
  if (layout.extension.startsWith('htm')) add('web', 0.3 + traits.shortLines / 2);
}

/** A bill lists amounts. A till slip also has short lines, and the time of the purchase or the change. */
function addBills(traits: Traits, add: Add): void {
  if (traits.amountLines < 2) return;
  const listed = Math.max(
    reach(traits.amountShare, ENOUGH.amountShare),
    reach(traits.amountLines, ENOUGH.amountLines),
  );
  const bill = listed * (1 - traits.proseShare);
  const isNarrow = traits.lineWidth < SLIP.width && traits.wordCount < SLIP.words;
  const slip = (isNarrow ? 1 : HALF / 2) * (traits.clockTimes > 0 || traits.hasChange ? 1 : HALF);
  add('receipt', bill * slip);
  add('invoice', bill * (1 - slip));
}

function addWritings(traits: Traits, extension: string, add: Add): void {
  const { proseShare, wordCount } = traits;
  const isShort = wordCount < SHORT_WRITING;
  const cited = Math.min(
    reach((traits.citations * wordCount) / 1000, ENOUGH.citations),
    reach(traits.citations, ENOUGH.citationsPerThousand),
  );
  add('paper', Math.max(cited, traits.hasAbstract ? WEAK : 0) * proseShare);
  if (isShort) {
    const career = reach(traits.periods, ENOUGH.periods) * (traits.hasContact ? 1 : HALF);
    add('resume', career * (1 - cited));
    const quoted = Math.min(
      reach(traits.quotations, ENOUGH.quotations),
      reach(traits.quotationRate, ENOUGH.quotationRate),
    );
    add('news', Math.min(WEAK, quoted) * proseShare);
    if (traits.hasSalutation) add('letter', WEAK * proseShare);
  }
  if (wordCount > SHORTEST_CONTRACT) {
    const numbered = HALF * reach(traits.clauses, ENOUGH.clauses);
    add('contract', Math.min(1, traits.definitions / ENOUGH.definitions + numbered) * proseShare);
  }
  const examples = traits.codeShare > SOME_CODE ? HALF : 0;
  add(
    'manual',
    Math.max(MARKUP.test(extension) ? WEAK : 0, WEAK * reach(traits.steps, ENOUGH.steps) + examples),
  );
}
