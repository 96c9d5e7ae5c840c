import { pickAlternative } from '#src/formats/shared/containers/alternative-content.ts';
import type { Relationship } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Run } from '#src/formats/shared/flow/runs.ts';
import { toFormulaRun } from '#src/formats/shared/math/formula.ts';
import { findOmml } from '#src/formats/shared/math/omml/index.ts';
import { child, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';

export interface SlideParagraph {
  level: number;
  /** Kind of bullet. Undefined means that the layout of the placeholder decides. */
  bullet: 'character' | 'number' | 'none' | undefined;
  runs: Run[];
}

const HIDDEN_FIELDS = new Set(['slidenum', 'datetime']);

function readRun(element: XmlElement, relationships: Map<string, Relationship>): Run {
  const properties = child(element, 'a:rPr');
  const link = child(properties, 'a:hlinkClick')?.attributes['r:id'];
  const target = link ? relationships.get(link) : undefined;
  const flags = properties?.attributes ?? {};
  return {
    text: getTextContent(child(element, 'a:t')),
    bold: flags.b === '1' || flags.b === 'true' || undefined,
    italic: flags.i === '1' || flags.i === 'true' || undefined,
    strike: (flags.strike !== undefined && flags.strike !== 'noStrike') || undefined,
    script: readBaseline(flags.baseline),
    href: target?.external ? target.target : undefined,
  };
}

/** Reads the offset of text from its line, in thousandths of a percent or in percent of the font size. */
function readBaseline(offset: string | undefined): Run['script'] {
  const value = Number.parseFloat(offset ?? '0');
  return value > 0 ? 'super' : value < 0 ? 'sub' : undefined;
}

function readRuns(parent: XmlElement, relationships: Map<string, Relationship>): Run[] {
  return elements(parent).flatMap((element): Run[] => {
    switch (element.name) {
      case 'a:r':
        return [readRun(element, relationships)];
      case 'a:br':
        return [{ text: '\n' }];
      case 'a:fld': {
        const type = (element.attributes.type ?? '').replace(/(?<!\d)\d+$/, '');
        return HIDDEN_FIELDS.has(type) ? [] : [readRun(element, relationships)];
      }
      case 'mc:AlternateContent': {
        const branch = pickAlternative(element);
        return branch ? readRuns(branch, relationships) : [];
      }
      case 'a14:m':
      case 'm:oMath':
      case 'm:oMathPara':
        return findOmml(element).map(toFormulaRun);
      default:
        return [];
    }
  });
}

function readParagraph(paragraph: XmlElement, relationships: Map<string, Relationship>): SlideParagraph {
  const properties = child(paragraph, 'a:pPr');
  const runs = readRuns(paragraph, relationships);
  const bullet = child(properties, 'a:buNone')
    ? 'none'
    : child(properties, 'a:buAutoNum')
      ? 'number'
      : child(properties, 'a:buChar') || child(properties, 'a:buBlip')
        ? 'character'
        : undefined;
  return { level: Number(properties?.attributes.lvl ?? 0), bullet, runs };
}

/** Reads the paragraphs of a text body. */
export function readTextBody(
  body: XmlElement | undefined,
  relationships: Map<string, Relationship>,
): SlideParagraph[] {
  return elements(body, 'a:p').map((paragraph) => readParagraph(paragraph, relationships));
}

/** Returns a text body as one list of runs. Used for table cells and notes. */
export function inlineBody(body: XmlElement | undefined, relationships: Map<string, Relationship>): Run[] {
  return readTextBody(body, relationships).flatMap((paragraph, index) => [
    ...(index > 0 ? [{ text: '\n' }] : []),
    ...paragraph.runs,
  ]);
}
