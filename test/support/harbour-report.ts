import { buildPdf, paragraph, text } from '#test/fixtures/pdf.ts';

export const PROSE = [
  'The harbour office closed its books on 31 December 2024 with a surplus of 48,210 crowns.',
  'Repairs of the northern quay took longer than the council had planned, because the winter',
  'storms washed out the new foundation twice before the masons could finish their work.',
];
export const CARGO = [
  ['Barley', '1,204'],
  ['Timber', '3,861'],
  ['Herring', '2,075'],
  ['Slate', '967'],
  ['Linen', '1,438'],
];
export const TITLE = 'Report of the harbour master';
const SIGNED = 'Signed by Edda Holm, harbour master.';
export const drawTable = (rows: string[][]) =>
  ['| Cargo | Tons |', '| --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');
/** Correct Markdown of the page. */
export const TRUE = [`# ${TITLE}`, PROSE.join(' '), drawTable(CARGO), SIGNED].join('\n\n');

/** Returns the page content stream of the report, with `note` below. */
export function reportPage(note = ''): string {
  const rows = [['Cargo', 'Tons'], ...CARGO].map(
    ([name, tons], at) => text(72, 580 - 16 * at, name!) + text(220, 580 - 16 * at, tons!),
  );
  const below = note === '' ? '' : text(72, 400, note);
  return text(72, 720, TITLE, 20) + paragraph(72, 680, PROSE) + rows.join('') + text(72, 440, SIGNED) + below;
}

/** Returns a PDF with unique bytes, so that no cached parse result exists. */
export const pdfOf = (contents: string[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    buildPdf({
      pages: contents.map((content) => ({ content })),
      info: { Title: crypto.randomUUID() },
    }),
  );

/** Wrong model answers, by kind of error. */
export const LIES: Record<string, string> = {
  'an invented number': TRUE.replace('48,210', '84,210'),
  'a changed name': TRUE.replace('Edda Holm', 'Edith Storm'),
  'dropped rows': TRUE.replace(drawTable(CARGO), drawTable(CARGO.slice(0, 1))),
  'another language':
    '# Bericht des Hafenmeisters\n\nDas Hafenamt schloss seine Bücher mit einem Überschuss. Die Ausbesserung des ' +
    'Kais dauerte länger als der Rat geplant hatte, weil die Stürme das neue Fundament zweimal fortspülten.',
  chatter: `Sure! Here is the transcription of the page that you asked for:\n\n${TRUE}`,
  repetition: `${TRUE}\n\n${`${PROSE.join(' ')}\n\n`.repeat(5)}`,
  'another page': 'The recipe takes two eggs, a pound of flour and a pinch of nutmeg, stirred until smooth.',
};
