import type { XmlElement } from '#src/text-formats/xml.ts';
import { elements } from '#src/text-formats/xml.ts';
import { localName } from '../../tree/build.ts';

/** Marks of footnotes by the id of the note. */
export type FootnoteMarks = ReadonlyMap<string, string>;

/** Notes inside these elements belong to them, and keep the marks that the author gave them. */
const OTHER_NOTES = new Set(['table-wrap', 'table-wrap-foot', 'author-notes', 'front', 'front-stub']);

/**
 * Numbers the footnotes that the text refers to, in the order of the references. Notes of tables and of authors
 * are left out.
 */
export function collectFootnotes(root: XmlElement): FootnoteMarks {
  const notes = new Set<string>();
  const references: string[] = [];
  const visit = (element: XmlElement) => {
    for (const inner of elements(element)) {
      const name = localName(inner.name);
      if (name === 'fn' && inner.attributes.id) notes.add(inner.attributes.id);
      else if (name === 'xref' && inner.attributes['ref-type'] === 'fn' && inner.attributes.rid) {
        references.push(inner.attributes.rid);
      }
      if (!OTHER_NOTES.has(name)) visit(inner);
    }
  };
  visit(root);
  const marks = new Map<string, string>();
  for (const id of references) {
    if (notes.has(id) && !marks.has(id)) marks.set(id, String(marks.size + 1));
  }
  return marks;
}
