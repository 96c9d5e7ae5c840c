import { buildIncludedFileOmission } from '../shared/containers/unread-parts.ts';
import type { LatexConverter } from './convert.ts';

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
