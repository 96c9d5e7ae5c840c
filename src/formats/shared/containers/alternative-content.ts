import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';

/** Elements that show that a branch has content that the parsers can read. */
const READABLE = new Set([
  'w:t',
  'w:txbxContent',
  'a:t',
  'm:oMath',
  'm:oMathPara',
  'a14:m',
  'a:blip',
  'v:imagedata',
  'v:textpath',
  'c:chart',
  'cx:chart',
  'dgm:relIds',
  'a:tbl',
]);

/**
 * Returns the branch of an mc:AlternateContent element to read. Both branches show the same content, so only
 * one is read. The newer branch is preferred, unless it has nothing that the parsers can read.
 */
export function pickAlternative(element: XmlElement): XmlElement | undefined {
  const choices = elements(element, 'mc:Choice');
  const fallback = child(element, 'mc:Fallback');
  return choices.find(isReadable) ?? (fallback && isReadable(fallback) ? fallback : (choices[0] ?? fallback));
}

/** Results for elements with children. Nested alternatives would otherwise search the same elements again. */
const known = new WeakMap<XmlElement, boolean>();

function isReadable(parent: XmlElement): boolean {
  const before = known.get(parent);
  if (before !== undefined) return before;
  const found = elements(parent).some(
    (element) => READABLE.has(element.name) || (element.children.length > 0 && isReadable(element)),
  );
  known.set(parent, found);
  return found;
}
