import { isBlank } from '#src/formats/shared/flow/runs.ts';
import { child, descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { findPlaceholder, type SlideContext, SlideReader } from './slide.ts';
import { inlineBody } from './text.ts';

/** Placeholders that repeat the slide or the edges of the printed page. */
const REPEATED = new Set(['sldImg', 'hdr', 'ftr', 'dt', 'sldNum']);

/** Writes the speaker notes of a slide, and the tables and text boxes that the page of notes has besides. */
export function writeNotes(context: Omit<SlideContext, 'size'>, part: string): void {
  const { flow, opened, relationships } = context;
  const tree = child(opened.xml(part), 'p:cSld', 'p:spTree');
  const shapes = elements(tree).filter((shape) => !REPEATED.has(placeholderType(shape) ?? ''));
  const isBody = (shape: XmlElement) => placeholderType(shape) === 'body';
  const runs = inlineBody(child(shapes.find(isBody), 'p:txBody'), relationships);
  const others = shapes.filter((shape) => !isBody(shape));
  if (isBlank(runs) && !others.some(hasText)) return;
  flow.heading(3, [{ text: 'Notes' }]);
  flow.paragraph(runs);
  const size = { width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY };
  new SlideReader({ ...context, size }).readShapes(others.filter(hasText));
}

const placeholderType = (shape: XmlElement) => findPlaceholder(shape)?.attributes.type;

const hasText = (shape: XmlElement) =>
  descendants(shape, 'a:t').some((text) => getTextContent(text).trim() !== '');
