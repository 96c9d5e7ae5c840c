import type { DrawingGraphics } from '#src/formats/shared/charts/drawing-graphics.ts';
import { pickAlternative } from '#src/formats/shared/containers/alternative-content.ts';
import type { OoxmlPackage } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { descendants, type XmlElement } from '#src/text-formats/xml.ts';
import { readTextBody } from '../pptx/text.ts';

interface DrawingContext {
  flow: Flow;
  opened: OoxmlPackage;
  graphics: DrawingGraphics;
}

/**
 * Writes the drawing of a sheet: its pictures, the text of its shapes, and its charts and diagrams. Drawings lie
 * above the cells, so their content follows the tables.
 */
export function writeDrawing({ flow, opened, graphics }: DrawingContext, part: string): void {
  const root = opened.xml(part);
  if (!root) return;
  const relationships = opened.relationships(part);
  const drawing: XmlElement = { ...root, children: resolveAlternatives(root) };
  for (const blip of descendants(drawing, 'a:blip')) {
    const target = relationships.get(blip.attributes['r:embed'] ?? '');
    if (target && !target.external) flow.namedFigure(target.target, () => opened.archive.read(target.target));
  }
  for (const shape of descendants(drawing, 'xdr:txBody')) {
    for (const { runs } of readTextBody(shape, relationships)) flow.paragraph(runs);
  }
  graphics.write(drawing, relationships);
}

/** Replaces elements with alternative content by the content of the branch that is read. */
function resolveAlternatives(parent: XmlElement): XmlElement['children'] {
  return parent.children.flatMap((node) => {
    if (typeof node === 'string') return [node];
    if (node.name !== 'mc:AlternateContent') return [{ ...node, children: resolveAlternatives(node) }];
    const branch = pickAlternative(node);
    return branch ? resolveAlternatives(branch) : [];
  });
}
