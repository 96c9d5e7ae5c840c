import { elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { buildFormula, buildTexFormula, type Formula } from '../formula.ts';
import { localName } from '../local-name.ts';
import { readPresentation } from './presentation.ts';

const TEX = /^(?:application\/x-(?:la)?tex|text\/x-(?:la)?tex|(?:la)?tex)$/i;

/** Returns the TeX source that is attached to a formula, or `undefined` if there is none. */
function findTex(element: XmlElement, depth = 0): string | undefined {
  for (const part of elements(element)) {
    const name = localName(part);
    if (name === 'annotation' && TEX.test((part.attributes.encoding ?? '').trim()))
      return getTextContent(part);
    if (depth < 3 && (name === 'semantics' || name === 'mrow' || name === 'mstyle')) {
      const found = findTex(part, depth + 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * Reads a MathML element `math` with any namespace prefix. TeX source that is attached to the formula is used
 * as it is. Returns `undefined` if the formula is empty.
 */
export function readMathml(math: XmlElement, isDisplay = false): Formula | undefined {
  const { display, mode, alttext } = math.attributes;
  const isBlock = isDisplay || display === 'block' || mode === 'display';
  const formula = buildFormula(readPresentation(math), isBlock);
  const tex = findTex(math) ?? (formula ? undefined : alttext);
  if (tex === undefined || tex.trim() === '') return formula;
  return buildTexFormula(tex, isBlock, formula?.plain) ?? formula;
}
