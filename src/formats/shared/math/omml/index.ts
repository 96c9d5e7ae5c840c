import type { XmlElement } from '#src/text-formats/xml.ts';
import { elements } from '#src/text-formats/xml.ts';
import { buildFormula, type Formula } from '../formula.ts';
import { localName } from '../local-name.ts';
import { readContent } from './elements.ts';

/**
 * Reads the formulas of an Office MathML element: `m:oMath`, or `m:oMathPara`, which contains displayed
 * formulas. Empty formulas are left out.
 */
export function readOmml(element: XmlElement): Formula[] {
  if (localName(element) !== 'oMathPara') {
    const formula = buildFormula(readContent(element, 0), false);
    return formula ? [formula] : [];
  }
  return elements(element).flatMap((part) => {
    if (localName(part) === 'oMathParaPr') return [];
    const formula = buildFormula(readContent(part, 0), true);
    return formula ? [formula] : [];
  });
}

/** Returns the formulas inside an element, such as the text body of a slide, without elements inside them. */
export function findOmml(element: XmlElement): Formula[] {
  const name = localName(element);
  if (name === 'oMath' || name === 'oMathPara') return readOmml(element);
  return elements(element).flatMap(findOmml);
}
