import { buildTexFormula, type Formula } from '#src/formats/shared/math/formula.ts';
import { readMathml } from '#src/formats/shared/math/mathml/index.ts';
import {
  descendants,
  elements,
  getTextContent,
  parseMarkup,
  type XmlElement,
} from '#src/text-formats/xml.ts';

/** Elements that a script on the page made from a formula. They contain the formula several times. */
const RENDERED = new Set(['katex', 'katex-display', 'mwe-math-element', 'MathJax', 'MathJax_Display']);
/** Parts of MathJax 2 that repeat the formula of a `script` element beside them. */
const REPEATED = /^(?:MathJax(?:_\w+)?|MJX\w*|mjx-chtml)$/;
/** Classes of pictures that show the formula in their `alt` text. */
const FORMULA_PICTURES =
  /^(?:tex|latex|math|mwe-math-fallback-image-(?:inline|display)|texhtml|ql-img-(?:inline|displayed)-\w+)$/;
const DISPLAYED =
  /^(?:katex-display|MathJax_Display|mwe-math-mathml-display|mwe-math-element-block|display)$/;
const SCRIPT_TYPE = /^math\/(tex|mml)\s*(?:;\s*mode\s*=\s*(display))?/i;

const splitClasses = ({ attributes }: XmlElement) => (attributes.class ?? '').split(/\s+/).filter(Boolean);

export const isMath = ({ name }: XmlElement): boolean => name === 'math' || name.endsWith(':math');

const findMath = (element: XmlElement): XmlElement | undefined =>
  descendants(element, 'math')[0] ?? elements(element).find(isMath);

/** Returns whether the page contains TeX source in `script` elements, as pages of MathJax 2 do. */
export const hasFormulaScripts = (root: XmlElement): boolean =>
  descendants(root, 'script').some(({ attributes }) => SCRIPT_TYPE.test(attributes.type ?? ''));

function readScript(element: XmlElement): Formula | undefined {
  const match = SCRIPT_TYPE.exec(element.attributes.type ?? '');
  if (!match) return undefined;
  const source = getTextContent(element).replace(/^\s*(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>\s*$/g, '');
  const isDisplay = match[2] !== undefined;
  if (match[1]!.toLowerCase() === 'tex') return buildTexFormula(source, isDisplay);
  const math = elements(parseMarkup(source)).find(isMath);
  return math && readMathml(math, isDisplay);
}

/** Reads TeX source that the page shows between `\\(` and `\\)`, or between `\\[` and `\\]`. */
function readSource(element: XmlElement): Formula | undefined {
  const text = getTextContent(element).trim();
  const isInline = text.startsWith('\\(') && text.endsWith('\\)');
  const isDisplay = text.startsWith('\\[') && text.endsWith('\\]');
  return isInline || isDisplay ? buildTexFormula(text, isDisplay) : undefined;
}

/**
 * Reads an HTML element that shows a formula. Returns a list with the formula, an empty list if the element
 * repeats a formula that stands elsewhere, or `undefined` if the element is not a formula.
 */
export function readHtmlFormula(element: XmlElement, hasScripts: boolean): Formula[] | undefined {
  const toList = (formula: Formula | undefined) => (formula ? [formula] : []);
  if (element.name === 'script') return toList(readScript(element));
  if (isMath(element)) return toList(readMathml(element));
  const classes = splitClasses(element);
  const isContainer = element.name === 'mjx-container';
  if (classes.length === 0 && !isContainer) return undefined;
  if (hasScripts && classes.some((name) => REPEATED.test(name))) return [];
  if (isContainer || classes.some((name) => RENDERED.has(name))) {
    const math = findMath(element);
    if (!math) return undefined;
    const isDisplay = element.attributes.display === 'true' || classes.some((name) => DISPLAYED.test(name));
    return toList(readMathml(math, isDisplay));
  }
  return classes.includes('math') && element.name !== 'img'
    ? toListOrNothing(readSource(element))
    : undefined;
}

const toListOrNothing = (formula: Formula | undefined) => (formula ? [formula] : undefined);

/** Reads the formula that a picture describes in its `alt` text, or returns `undefined`. */
export function readFormulaPicture(element: XmlElement): Formula | undefined {
  const { alt = '' } = element.attributes;
  const classes = splitClasses(element);
  if (alt.trim() === '' || !classes.some((name) => FORMULA_PICTURES.test(name))) return undefined;
  return buildTexFormula(
    alt,
    classes.some((name) => name.includes('display')),
  );
}
