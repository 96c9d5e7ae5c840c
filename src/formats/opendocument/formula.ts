import type { Run } from '#src/formats/shared/flow/runs.ts';
import { toFormulaRun } from '#src/formats/shared/math/formula.ts';
import { readMathml } from '#src/formats/shared/math/mathml/index.ts';
import {
  child,
  descendants,
  elements,
  getTextContent,
  parseXml,
  type XmlElement,
} from '#src/text-formats/xml.ts';
import type { OdfPackage } from './package.ts';

const isMath = ({ name }: XmlElement) => name === 'math' || name.endsWith(':math');
/** Matches the start tag of a formula, so that other objects are not parsed twice. */
const MATH_ROOT = /<(?:\w{1,20}:)?math[\s>]/;
const STAR_MATH = /^StarMath/i;

/** Returns the source that LibreOffice attaches to a formula in its own formula language. */
function findSource(math: XmlElement): string {
  const annotations = ['annotation', 'math:annotation'].flatMap((name) => descendants(math, name));
  const found = annotations.find(({ attributes }) =>
    STAR_MATH.test(attributes.encoding ?? attributes['math:encoding'] ?? ''),
  );
  return getTextContent(found).trim();
}

/**
 * Reads the formula that a frame shows. The formula is a part of the package or stands in the frame itself.
 * Returns `undefined` if the frame shows another object, such as a chart or a picture.
 */
export function readFormulaFrame(frame: XmlElement, { archive }: OdfPackage): Run | undefined {
  const object = child(frame, 'draw:object');
  if (!object) return undefined;
  const inner = elements(object).find(isMath);
  if (inner) return readFormula(inner);
  const folder = (object.attributes['xlink:href'] ?? '').replace(/^\.\//, '').replace(/\/$/, '');
  const formulas = readFormulas.get(archive) ?? new Map<string, Run | undefined>();
  readFormulas.set(archive, formulas);
  if (!formulas.has(folder)) {
    const math = readObject(folder, archive);
    formulas.set(folder, math && readFormula(math));
  }
  return formulas.get(folder);
}

/** Formulas of each package by their folder. Many frames may show one formula, which is read once. */
const readFormulas = new WeakMap<OdfPackage['archive'], Map<string, Run | undefined>>();

function readFormula(math: XmlElement): Run | undefined {
  const formula = readMathml(math);
  // Writers mark every formula as displayed. A formula beside other text stands in its line.
  if (formula) return toFormulaRun({ ...formula, isDisplay: false });
  const source = findSource(math);
  return source === '' ? undefined : { text: source };
}

/** Returns the formula in a folder of the package. Returns `undefined` for other objects. */
function readObject(folder: string, archive: OdfPackage['archive']): XmlElement | undefined {
  const name = `${folder}/content.xml`;
  if (folder === '' || !archive.has(name)) return undefined;
  const source = archive.text(name);
  if (source === undefined || !MATH_ROOT.test(source.slice(0, 2_000))) return undefined;
  const root = parseXml(source);
  return root && isMath(root) ? root : undefined;
}
