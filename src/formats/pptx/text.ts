import type { Relationship } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Run } from '#src/formats/shared/flow/runs.ts';
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
    href: target?.external ? target.target : undefined,
  };
}

function readParagraph(paragraph: XmlElement, relationships: Map<string, Relationship>): SlideParagraph {
  const properties = child(paragraph, 'a:pPr');
  const runs: Run[] = [];
  for (const element of elements(paragraph)) {
    if (element.name === 'a:r') runs.push(readRun(element, relationships));
    else if (element.name === 'a:br') runs.push({ text: '\n' });
    else if (element.name === 'a:fld') {
      const type = (element.attributes.type ?? '').replace(/(?<!\d)\d+$/, '');
      if (!HIDDEN_FIELDS.has(type)) runs.push(readRun(element, relationships));
    } else if (element.name === 'mc:AlternateContent' || element.name === 'a14:m') {
      runs.push({ text: mathText(element) });
    }
  }
  const bullet = child(properties, 'a:buNone')
    ? 'none'
    : child(properties, 'a:buAutoNum')
      ? 'number'
      : child(properties, 'a:buChar') || child(properties, 'a:buBlip')
        ? 'character'
        : undefined;
  return { level: Number(properties?.attributes.lvl ?? 0), bullet, runs };
}

function mathText(element: XmlElement): string {
  if (element.name === 'm:t') return getTextContent(element);
  return elements(element).map(mathText).join('');
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
