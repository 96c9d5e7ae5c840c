import { omitBibliography, omitFile, writeCitation } from './bibliography.ts';
import {
  ALGORITHM_STEP,
  CITATION,
  countDroppedArguments,
  REFERENCE,
  SECTIONS,
  STYLE_SWITCHES,
  STYLED_ARGUMENTS,
  TAKES_LENGTH,
} from './commands.ts';
import type { LatexConverter } from './convert.ts';
import { PLAIN_GROUP } from './environments.ts';
import { writeInlineFormula } from './math.ts';
import { composeAccent, findSymbol, isAccent } from './symbols.ts';

/** Accents of longer texts are ignored, because such a command underlines the text. */
const MAX_ACCENTED_CHARACTERS = 8;

/** Runs a command after its name was read. The arguments of unknown commands are kept as text. */
export function runCommand(converter: LatexConverter, name: string): void {
  const handle = HANDLERS.get(name);
  if (handle) handle(converter, name);
  else if (isAccent(name)) addAccent(converter, name);
  else if (findSymbol(name) !== undefined) addSymbol(converter, name);
  else if (CITATION.test(name)) addCitation(converter);
  else if (REFERENCE.test(name)) addReference(converter, name);
  else if (ALGORITHM_STEP.test(name)) addStep(converter, name);
  else if (countDroppedArguments(name) !== undefined) dropArguments(converter, name);
  else if (TAKES_LENGTH.test(name)) converter.reader.skipLength();
  else {
    converter.reader.skipStar();
    if (converter.reader.text[converter.reader.at] === '[') converter.reader.readOption();
  }
}

type Handler = (converter: LatexConverter, name: string) => void;

const HANDLERS = new Map<string, Handler>([
  ...Object.entries(STYLED_ARGUMENTS).map(([name, style]): [string, Handler] => [
    name,
    (converter) => {
      if (converter.reader.isAtGroup()) converter.openGroup(style);
    },
  ]),
  ...Object.entries(STYLE_SWITCHES).map(([name, style]): [string, Handler] => [
    name,
    (converter) => {
      // `\rm` and `\normalfont` end all other styles.
      const isReset = Object.keys(style).length === 0;
      converter.style = isReset ? {} : { ...converter.style, ...style };
    },
  ]),
  ...SECTIONS.map((name): [string, Handler] => [name, openHeading]),
  ...['paragraph', 'subparagraph'].map((name): [string, Handler] => [name, openRunInHeading]),
  ['title', openHeading],
  ['frametitle', openHeading],
  ['author', openAuthor],
  ['date', openAuthor],
  ['subtitle', openAuthor],
  ['item', startItem],
  ['bibitem', startReference],
  ['caption', openCaption],
  ['captionof', openCaption],
  ['subcaption', openCaption],
  ['footnote', openFootnote],
  ['thanks', openFootnote],
  ['footnotetext', openFootnote],
  ['footnotemark', (converter) => addFootnoteMark(converter)],
  ['url', addAddress],
  ['path', addAddress],
  ['nolinkurl', addAddress],
  ['href', openLink],
  ['par', (converter) => converter.endParagraph()],
  ['newpage', (converter) => converter.endParagraph()],
  ['clearpage', (converter) => converter.endParagraph()],
  ['cleardoublepage', (converter) => converter.endParagraph()],
  ['newline', breakLine],
  ['tabularnewline', breakLine],
  ['\\', breakLine],
  ['(', (converter) => readFormula(converter, '\\)')],
  ['[', (converter) => readFormula(converter, '\\]')],
  ['multicolumn', readMulticolumn],
  ...['endfirsthead', 'endhead', 'endfoot', 'endlastfoot'].map((name): [string, Handler] => [
    name,
    (converter) => converter.table?.endRepeatedPart(name),
  ]),
  ['begingroup', (converter) => converter.openEnvironment(PLAIN_GROUP)],
  ['bgroup', (converter) => converter.openEnvironment(PLAIN_GROUP)],
  ['endgroup', (converter) => converter.endEnvironment(PLAIN_GROUP)],
  ['egroup', (converter) => converter.endEnvironment(PLAIN_GROUP)],
  ['includegraphics', dropPicture],
  ...['input', 'include', 'subfile', 'includepdf', 'lstinputlisting', 'verbatiminput'].map(
    (name): [string, Handler] => [name, omitFile],
  ),
  ['bibliography', omitBibliography],
  ['makebox', openBox],
  ['framebox', openBox],
]);

function openHeading(converter: LatexConverter, name: string): void {
  converter.reader.skipStar();
  converter.reader.readOption();
  if (!converter.reader.isAtGroup()) return;
  converter.endParagraph();
  const level = name === 'title' ? 1 : (converter.levels.get(name) ?? 3);
  converter.openGroup({}, (runs) => {
    if (converter.isCaptured) for (const run of runs) converter.addRun(run);
    else converter.writer.heading(level, runs);
  });
}

function openRunInHeading(converter: LatexConverter): void {
  converter.reader.skipStar();
  converter.reader.readOption();
  if (!converter.reader.isAtGroup()) return;
  converter.endParagraph();
  converter.openGroup({}, (runs) => {
    for (const run of runs) converter.addRun({ ...run, bold: true });
    converter.addExact(' ');
  });
}

function openAuthor(converter: LatexConverter): void {
  converter.reader.readOption();
  if (!converter.reader.isAtGroup()) return;
  converter.endParagraph();
  converter.openGroup({}, (runs) => {
    for (const run of runs) converter.addRun(run);
    converter.endParagraph();
  });
}

function startItem(converter: LatexConverter): void {
  converter.endParagraph();
  const label = converter.reader.readOption();
  if (converter.isCaptured) converter.addExact('- ');
  else converter.writer.startItem();
  if (label?.trim()) {
    const { style } = converter;
    converter.style = { ...style, bold: true };
    converter.addText(label.includes('\\') ? label.replace(/\\[a-zA-Z]+|[{}$]/g, '').trim() : label);
    converter.style = style;
    converter.addExact(' ');
  }
}

function startReference(converter: LatexConverter): void {
  converter.endParagraph();
  converter.reader.readOption();
  const key = converter.reader.readGroup()?.trim() ?? '';
  converter.writer.startItem();
  converter.addExact(`[${converter.references.get(key) ?? key}] `);
}

function openCaption(converter: LatexConverter, name: string): void {
  converter.reader.skipStar();
  if (name === 'captionof') converter.reader.readGroup();
  converter.reader.readOption();
  if (converter.reader.isAtGroup()) converter.openGroup({}, (runs) => converter.writeCaption(runs));
}

function addFootnoteMark(converter: LatexConverter): number {
  converter.reader.readOption();
  const mark = converter.writer.addFootnote();
  converter.addRun({ text: '', markdown: `[^${mark}]` });
  return mark;
}

function openFootnote(converter: LatexConverter, name: string): void {
  const { writer, reader } = converter;
  const isMarked = name === 'footnotetext' && writer.footnoteCount > 0;
  if (isMarked) reader.readOption();
  const mark = isMarked ? writer.footnoteCount : addFootnoteMark(converter);
  if (!reader.isAtGroup()) return;
  const { style } = converter;
  converter.openGroup({}, (runs) => {
    writer.fillFootnote(mark, runs);
    converter.style = style;
  });
  converter.style = {};
}

function addAddress(converter: LatexConverter, name: string): void {
  const address = converter.reader
    .readGroup()
    ?.trim()
    .replace(/\\(?=[%#&_~])/g, '');
  if (address) converter.addRun({ text: address, ...(name === 'url' && { href: address }) });
}

function openLink(converter: LatexConverter): void {
  converter.reader.readOption();
  const href = converter.reader
    .readGroup()
    ?.trim()
    .replace(/\\(?=[%#&_~])/g, '');
  if (converter.reader.isAtGroup()) converter.openGroup({ href });
}

function breakLine(converter: LatexConverter, name: string): void {
  converter.reader.skipStar();
  if (name === '\\' && converter.reader.text[converter.reader.at] === '[') converter.reader.readOption();
  if (converter.table) converter.endRow();
  else converter.lineBreak();
}

function readFormula(converter: LatexConverter, mark: string): void {
  const { reader } = converter;
  const end = reader.find(mark);
  if (end < 0) return;
  const latex = writeInlineFormula(reader.text.slice(reader.at, end)).trim();
  reader.at = end + mark.length;
  if (mark === '\\]') converter.addDisplayedFormula(latex);
  else converter.addFormula(latex);
}

function readMulticolumn(converter: LatexConverter): void {
  const columns = Number(converter.reader.readGroup()) || 1;
  converter.reader.readGroup();
  if (converter.table) converter.table.columnSpan = columns;
}

function dropPicture(converter: LatexConverter): void {
  converter.reader.skipStar();
  openBox(converter);
  converter.reader.readGroup();
  converter.writer.pictures++;
}

/** Leaves out the width and the alignment of a box. */
function openBox(converter: LatexConverter): void {
  const { reader } = converter;
  for (let count = 0; count < 2 && reader.text[reader.at] === '['; count++) reader.readOption();
}

function addAccent(converter: LatexConverter, name: string): void {
  const { reader } = converter;
  const before = reader.at;
  reader.skipBlanks();
  const group = reader.text[reader.at] === '{' ? reader.readGroup() : undefined;
  if (group !== undefined && group.length > MAX_ACCENTED_CHARACTERS) {
    reader.at = before;
    return;
  }
  const near = reader.text.slice(reader.at, reader.at + 20);
  const single =
    group === undefined ? (/^(?:\\[a-zA-Z]{1,10}[ ]?|[\p{L}\p{N}])/u.exec(near)?.[0] ?? '') : group;
  if (group === undefined) reader.at += single.length;
  const letter = single
    .trim()
    .replace(/^\\([a-zA-Z]{1,10})$/, (_, command: string) => findSymbol(command) ?? '');
  if (letter === '') return;
  converter.addExact(composeAccent(name, letter) ?? letter);
}

function addSymbol(converter: LatexConverter, name: string): void {
  const { reader } = converter;
  if (/^[a-zA-Z]/.test(name) && /^[ \n](?!\s)/.test(reader.text.slice(reader.at, reader.at + 2))) reader.at++;
  converter.addExact(findSymbol(name) ?? '');
}

function addCitation(converter: LatexConverter): void {
  converter.reader.skipStar();
  const options: string[] = [];
  for (let option = converter.reader.readOption(); option !== undefined && options.length < 2; ) {
    options.push(option);
    option = converter.reader.readOption();
  }
  const keys = converter.reader.readGroup();
  if (keys) converter.addExact(writeCitation(keys, options, converter.references));
}

function addReference(converter: LatexConverter, name: string): void {
  converter.reader.skipStar();
  const label = converter.reader.readGroup()?.trim();
  if (label) converter.addExact(name === 'eqref' ? `(${label})` : label);
}

function addStep(converter: LatexConverter, name: string): void {
  converter.endParagraph();
  if (/^(?:State|STATE|Statex)$/.test(name)) return;
  converter.addRun({ text: name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase(), bold: true });
  converter.addExact(' ');
}

function dropArguments(converter: LatexConverter, name: string): void {
  const { reader } = converter;
  reader.skipStar();
  const count = countDroppedArguments(name) ?? 0;
  if (count > 0) reader.readOption();
  for (let index = 0; index < count; index++) {
    if (reader.readGroup() === undefined) break;
    reader.readOption();
  }
  if (TAKES_LENGTH.test(name)) reader.skipLength();
}
