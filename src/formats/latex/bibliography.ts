import { buildIncludedFileOmission } from '../shared/containers/unread-parts.ts';
import type { LatexConverter } from './convert.ts';
/** Returns the printed labels of the bibliography entries of a LaTeX document, by key. */
export function numberReferences(latex: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  let count = 0;
  for (const found of latex.matchAll(
    /\\bibitem[ \t]{0,9}(?:\[([^\][{}\n]{0,200})\])?[ \t\n]{0,9}\{([^{}\n]{1,200})\}/g,
  )) {
    count += 1;
    labels.set(found[2]!.trim(), found[1]?.trim() || String(count));
  }
  return labels;
}

/** Writes a citation as readers see it. Keys without an entry in the document are shown as they are. */
export function writeCitation(
  keys: string,
  options: readonly string[],
  labels: ReadonlyMap<string, string>,
): string {
  const shown = keys
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
    .map((key) => labels.get(key) ?? key);
  const notes = options
    .map((note) =>
      note
        .replace(/~/g, ' ')
        .replace(/[\\{}]/g, '')
        .trim(),
    )
    .filter(Boolean);
  const [before, after] = notes.length > 1 ? [`${notes[0]} `, notes[1]] : ['', notes[0]];
  return `[${before}${shown.join(', ')}${after ? `, ${after}` : ''}]`;
}

/** Reports a file whose content the document includes. */
export function omitFile(converter: LatexConverter): void {
  converter.reader.readOption();
  const file = (converter.reader.readGroup() ?? '').trim();
  if (file !== '') converter.writer.flow.omit(buildIncludedFileOmission(file));
}

/** Reports a bibliography in another file, whose name may have no extension. */
export function omitBibliography(converter: LatexConverter): void {
  const file = (converter.reader.readGroup() ?? '').trim().slice(0, 200);
  const message = `The bibliography is in the file "${file}", which was not read.`;
  converter.writer.flow.omit({ kind: 'unsupported_object', message });
}
