import type { LatexConverter } from './convert.ts';
import { findArguments, findList, findTableArguments, isDrawing, isQuote } from './environments.ts';
import { isMathEnvironment, writeDisplayedFormula } from './math.ts';
import type { LatexReader } from './reader.ts';
import { OpenTable } from './tables.ts';

function skipArguments(reader: LatexReader, kinds: string): void {
  for (const kind of kinds) {
    if (kind === 'o') reader.readOption();
    else reader.readGroup();
  }
}

/** Reads the beginning of an environment, or all of it if it is a formula or a drawing. */
export function beginEnvironment(converter: LatexConverter, name: string): void {
  const { reader, writer } = converter;
  if (isMathEnvironment(name) || isDrawing(name)) {
    const mark = `\\end{${name}}`;
    const end = reader.find(mark);
    if (end >= 0) {
      const content = reader.text.slice(reader.at, end);
      reader.at = end + mark.length;
      if (isMathEnvironment(name)) converter.addDisplayedFormula(writeDisplayedFormula(name, content));
      else {
        const message = `A drawing of the environment "${name}" was skipped.`;
        writer.flow.omit({ kind: 'unsupported_object', message });
      }
      return;
    }
  }
  const tableArguments = findTableArguments(name);
  if (tableArguments !== undefined) {
    skipArguments(reader, tableArguments);
    converter.openEnvironment(name, new OpenTable());
    return;
  }
  converter.endParagraph();
  const list = findList(name);
  if (name === 'abstract') converter.writer.heading(2, [{ text: 'Abstract' }]);
  if (name === 'thebibliography')
    writer.heading(converter.levels.get('bibliography') ?? 2, [{ text: 'References' }]);
  converter.openEnvironment(name);
  skipArguments(reader, findArguments(name));
  if (list) writer.openList(list.isOrdered);
  if (isQuote(name)) writer.quoteDepth++;
  if (name === 'frame') readFrameTitle(converter);
  else addTheoremTitle(converter, name);
}

function readFrameTitle(converter: LatexConverter): void {
  converter.reader.readOption();
  if (!converter.reader.isAtGroup()) return;
  converter.openGroup({}, (runs) => converter.writer.heading(3, runs));
}

/** Adds the title of a theorem-like environment, such as "Lemma (Zorn)." */
function addTheoremTitle(converter: LatexConverter, name: string): void {
  const title = name === 'proof' ? 'Proof' : converter.theorems.get(name);
  if (title === undefined) return;
  const note = converter.reader.readOption();
  converter.style = { ...converter.style, bold: true };
  converter.addText(title);
  if (note) converter.addText(` (${note.replace(/[\\{}$]/g, '')})`);
  converter.addText('.');
  converter.style = { ...converter.style, bold: undefined };
  converter.addText(' ');
}
