import type { Run } from '#src/formats/shared/flow/runs.ts';
import { elements, type XmlElement } from '#src/text-formats/xml.ts';
import type { OdfPackage } from './package.ts';

/**
 * Reads the text of a cell as runs. Returns `undefined` for a cell without subscripts and superscripts, whose
 * text needs no runs.
 */
export function readCellRuns(cell: XmlElement, style: OdfPackage['style']): Run[] | undefined {
  const runs: Run[] = [];
  const read = (parent: XmlElement, script: Run['script']) => {
    for (const node of parent.children) {
      if (typeof node === 'string') runs.push({ text: node, script });
      else if (node.name !== 'text:span') read(node, script);
      else read(node, style(node.attributes['text:style-name']).script ?? script);
    }
  };
  for (const [at, paragraph] of elements(cell, 'text:p').entries()) {
    if (at > 0) runs.push({ text: '\n' });
    read(paragraph, undefined);
  }
  return runs.some((run) => run.script !== undefined) ? runs : undefined;
}
